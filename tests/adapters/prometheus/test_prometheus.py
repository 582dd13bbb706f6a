"""Groups from a Prometheus server and from texts of metrics, as from a broker."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.prometheus_stub import NOW, Named, Stub, as_text, lag_exporter, prometheus

from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.group_samples import GroupSamples, measured_input
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.adapters.prometheus import server as server_module
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.series import read_metrics_text
from equilag.adapters.prometheus.server import PrometheusServer, read_settings
from equilag.domain.errors import InputError
from equilag.domain.figures import utc
from equilag.domain.group.group import Group
from equilag.planner.solve import solve

TIMES = [NOW - 300 + 5 * n for n in range(61)]
OWNERS = ["a", "a", "b", ""]
RATES = np.array([100, 300, 50, 20])


def course() -> tuple[list[list[int]], list[list[int]]]:
    """Log ends and commits at `TIMES`; all have a backlog all along."""
    elapsed = np.array(TIMES) - TIMES[0]
    ends = 10_000 + elapsed[:, None] * RATES
    commits = 4_000 + elapsed[:, None] * np.array([80, 80, 50, 0])
    return ends.astype(int).tolist(), commits.astype(int).tolist()


def series() -> list[Named]:
    return lag_exporter(*course(), OWNERS, TIMES)


def as_a_broker_tells() -> GroupSamples:
    """The same group, as a reader of brokers has it."""
    offsets = [
        TopicOffsets({"t": 4}, {"t": [0] * 4}, {"t": end}, {"t": commit})
        for end, commit in zip(*course(), strict=True)
    ]
    members = [
        DescribedMember(name, ("t",), owned={"t": held}, client_id=name, host="10.0.0.1")
        for name, held in (("a", [0, 1]), ("b", [2]))
    ]
    first, last = (
        Reading("orders", "", "", "", utc(TIMES[at]), members, offsets[at]) for at in (0, -1)
    )
    return GroupSamples(first, last, TIMES, offsets)


def test_a_group_by_prometheus_is_that_by_the_broker() -> None:
    with prometheus(Stub(series())) as url:
        read = PrometheusServer(url).read(NOW, 300.0, group="orders")
    (found,) = groups_of(read).values()
    given, remarks = measured_input(found, "latest")
    expected, said = measured_input(as_a_broker_tells(), "latest")
    assert given == expected
    assert remarks == said
    assert given["rates"]["t"] == pytest.approx(RATES.tolist())
    capacities = {one.id: one.capacity for one in given["members"] if not isinstance(one, str)}
    assert capacities == {"a": pytest.approx(160), "b": pytest.approx(50)}
    plans = [solve(Group.build(**one), effort=0.05, time_limit=60) for one in (given, expected)]
    documents = [plan.to_dict() for plan in plans]
    for one in documents:
        del one["timing"]
    assert documents[0] == documents[1]


def test_a_group_without_lag_metrics_of_its_own_is_refused_with_the_names() -> None:
    with prometheus(Stub(series())) as url, pytest.raises(InputError) as raised:
        PrometheusServer(url).read(NOW, 300.0, group="other")
    assert url in str(raised.value)
    assert 'no metrics of group "other"' in str(raised.value)
    assert "kminion_kafka_consumer_group_topic_partition_lag" in str(raised.value)


def test_kafka_exporter_has_no_owners() -> None:
    of = {"topic": "t", "partition": "0"}
    text = [
        ("kafka_consumergroup_lag", of | {"consumergroup": "g"}, [(NOW, 7.0)]),
        ("kafka_consumergroup_current_offset", of | {"consumergroup": "g"}, [(NOW, 93.0)]),
        ("kafka_topic_partition_current_offset", of, [(NOW, 100.0)]),
        ("kafka_topic_partition_oldest_offset", of, [(NOW, 10.0)]),
        ("kafka_topic_partition_current_offset", of | {"partition": "1"}, [(NOW, 5.0)]),
        ("kafka_consumergroup_members", {"consumergroup": "g"}, [(NOW, 2.0)]),
    ]
    (found,) = groups_of(read_metrics_text(as_text(text, NOW), "m.txt")).values()
    offsets = found.last.offsets
    assert (offsets.log_start, offsets.log_end) == ({"t": [10, 0]}, {"t": [100, 5]})
    assert offsets.committed == {"t": [93, None]}
    assert [(one.id, one.owned) for one in found.last.members] == [
        ("member-1", {}), ("member-2", {}),
    ]  # fmt: skip


def test_kminion_tells_commits_by_the_lag() -> None:
    of = {"topic_name": "t", "partition_id": "0"}
    text = [
        ("kminion_kafka_consumer_group_topic_partition_lag", of | {"group_id": "g"}, [(NOW, 7.0)]),
        ("kminion_kafka_topic_partition_high_water_mark", of, [(NOW, 1.5e6)]),
    ]
    (found,) = groups_of(read_metrics_text(as_text(text, NOW), "m.txt")).values()
    assert found.last.offsets.committed == {"t": [1_499_993]}


def test_the_owner_is_the_last_one() -> None:
    """After a rebalance another series goes on."""
    ends, commits = course()
    before = lag_exporter(ends[:30], commits[:30], ["a"] * 4, TIMES[:30])
    after = lag_exporter(ends[30:], commits[30:], ["b"] * 4, TIMES[30:])
    with prometheus(Stub([*before, *after])) as url:
        (found,) = groups_of(PrometheusServer(url).read(NOW, 300.0)).values()
    assert [one.id for one in found.first.members] == ["a"]
    assert [(one.id, one.owned) for one in found.last.members] == [("b", {"t": [0, 1, 2, 3]})]
    assert found.last.offsets.log_end == {"t": ends[-1]}
    assert found.rebalanced


def test_what_klag_exporter_says_of_lost_records_is_no_other_series() -> None:
    """Two labels of its lag alone, which change while a group runs."""
    ends, commits = course()
    parts = []
    for part, flag in ((slice(None, 30), "false"), (slice(30, None), "true")):
        for name, labels, points in lag_exporter(ends[part], commits[part], ["a"] * 4, TIMES[part]):
            flags = {"compaction_detected": flag, "data_loss_detected": flag}
            parts.append((name, labels | (flags if name.endswith("_lag") else {}), points))
    with prometheus(Stub(parts)) as url:
        (found,) = groups_of(PrometheusServer(url).read(NOW, 300.0)).values()
    assert [(one.id, one.owned) for one in found.last.members] == [("a", {"t": [0, 1, 2, 3]})]
    assert found.last.offsets.log_end == {"t": ends[-1]}
    assert not found.rebalanced


def test_what_two_clusters_say_is_not_mixed() -> None:
    other = [(name, labels | {"cluster_name": "d"}, points) for name, labels, points in series()]
    with prometheus(Stub([*series(), *other])) as url:
        server = PrometheusServer(url)
        with pytest.raises(InputError, match="differ by cluster_name: choose one with --selector"):
            groups_of(server.read(NOW, 300.0))
        assert groups_of(server.read(NOW, 300.0, 'cluster_name="d"')).keys() == {"orders"}


@pytest.mark.parametrize(
    ("stub", "problem"),
    [
        (Stub(body=b"<html>"), "the answer is no JSON, or cut off"),
        (Stub(body=b'{"status": "success", "data": {"resultTy'), "the answer is no JSON"),
        (Stub(body=b'{"status": "success"}'), "not that of a Prometheus server"),
        (Stub(body=b"[]"), "not that of a Prometheus server"),
        (Stub(body=b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},'
                   b'"values":[[1,"x"]]}]}}'), "could not convert"),
        (Stub(body=b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},'
                   b'"values":[[1,1' + b"0" * 400 + b']]}]}}'), "not that of a Prometheus server"),
        (Stub(body=b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":[],'
                   b'"values":[[1,"1"]]}]}}'), "not that of a Prometheus server"),
        (Stub(body=b"[" * 200_000), "not that of a Prometheus server"),
        (Stub(body=b"[" * 200_000, status=500), "HTTP 500"),
        (Stub(body=b"{", status=500, headers={"Content-Length": "900"}), "HTTP 500"),
        (Stub(body=b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},'
                   b'"values":[[1e15,"1"]]}]}}'), "samples of times that were not asked for"),
        (Stub(body=b'{"status":"success","data":{"resultType":"vector","result":[]}}'),
         "a vector in place of a matrix"),
        (Stub(body=b'{"status":"error","error":"query processing would load too many samples"}',
              status=422), "would load too many samples"),
        (Stub(body=b"who are you", status=401), "HTTP 401"),
        (Stub(body=b"", status=302, headers={"Location": "http://127.0.0.1:1/"}), "HTTP 302"),
        (Stub(series(), warnings=["store gateway timed out"]), "half an answer: store gateway"),
        (Stub(body=b"{}", headers={"Content-Length": "900"}), "no"),
    ],
)  # fmt: skip
def test_wrong_answers_are_errors_with_the_query(stub: Stub, problem: str) -> None:
    with prometheus(stub) as url, pytest.raises(InputError) as raised:
        PrometheusServer(url, {"token": "s3cret"}).read(NOW, 300.0)
    assert problem in str(raised.value)
    assert "kafka_consumergroup_group_lag{}[300000ms]" in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_a_huge_answer_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "MAX_BYTES", 2**20)
    with prometheus(Stub(body=b" " * 2**22)) as url, pytest.raises(InputError, match="more than 1"):
        PrometheusServer(url).read(NOW, 300.0)


def test_stale_metrics_are_an_error() -> None:
    with prometheus(Stub(series())) as url, pytest.raises(InputError, match="is 400 s old"):
        PrometheusServer(url).read(NOW + 400, 900.0)


def test_nobody_there() -> None:
    with pytest.raises(InputError, match=r"no answer: .*refused"):
        PrometheusServer("http://127.0.0.1:9").read(NOW, 300.0)


@pytest.mark.parametrize(
    "url",
    ["http://me:s3cret@host:9090", "http://me:s3cret#@host", "http://me:s3cret/@host", "http://",
     "http://h/?token=s3cret", "http://h:s3cret", "http://[h"],
)  # fmt: skip
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(InputError) as raised:
        PrometheusServer(url)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("own", [{"token": "s3cret"}, {"username": "me", "password": "s3cret"}])
def test_a_login_that_a_server_repeats_is_in_no_error(own: dict[str, str]) -> None:
    body = json.dumps({"error": "s3cret and Basic bWU6czNjcmV0 are not known here"}).encode()
    with prometheus(Stub(body=body, status=401)) as url, pytest.raises(InputError) as raised:
        PrometheusServer(url, own).read(NOW, 300.0)
    said = str(raised.value)
    assert "are not known here" in said
    assert "s3cret" not in said
    assert "token" in own or "bWU6czNjcmV0" not in said


def test_logins_from_files(tmp_path: Path) -> None:
    (tmp_path / "pass").write_text("s3cret\n")
    own = {"username": "me", "password.file": str(tmp_path / "pass")}
    stub = Stub(series())
    with prometheus(stub) as url:
        PrometheusServer(url, read_settings(own, "p")).read(NOW, 300.0)
        PrometheusServer(url, read_settings({"token": "tok"}, "p")).read(NOW, 300.0)
    sent = {headers["Authorization"] for _, headers in stub.asked}
    assert sent == {"Basic bWU6czNjcmV0", "Bearer tok"}
    with pytest.raises(InputError, match=r'tokn: is none of .*did you mean "token"'):
        read_settings({"tokn": "s3cret"}, "p")
    with pytest.raises(InputError, match=r"token.file"):
        read_settings({"token.file": str(tmp_path / "none")}, "p")
    (tmp_path / "pass").write_text("s3cret\ns3cret\n")
    with pytest.raises(InputError, match=r"token.file: has characters") as raised:
        read_settings({"token.file": str(tmp_path / "pass")}, "p")
    assert "s3cret" not in str(raised.value)
    for half, other in (("password", "username"), ("key", "cert")):
        with pytest.raises(InputError, match=f"{half}: needs {other}"):
            read_settings({half: "s3cret"}, "p")
    with pytest.raises(InputError, match="TLS"):
        PrometheusServer("https://h", {"ca": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no metrics of consumer groups"),
        ("up 1\n", "has no metrics of consumer groups"),
        ('kafka_consumergroup_group_lag{group="g",topic="t",partition="0"} 1', "within a line"),
        ('kafka_consumergroup_group_lag{group="g",topic="t"\n', "is no whole text of metrics"),
        ('kafka_consumergroup_group_lag{group="g"} 1\n', 'has the topic "" and the partition ""'),
        ('kafka_consumergroup_group_lag{group="g",topic="t",partition="99999999"} 1\n',
         'has the topic "t" and the partition "99999999"'),
        ("\x00\x01\n", "is no whole text of metrics"),
        ('kafka_consumergroup_group_lag{group="g",topic="t",partition="9999998"} 1\n',
         "there are 1 partitions of t, and one is t-9999998"),
        ("".join(f'kafka_consumergroup_group_lag{{group="g",topic="t{n}",partition="6000"}} 1\n'
                 for n in (1, 2)), "there are 1 partitions of t2, and one is t2-6000"),
    ],
)  # fmt: skip
def test_wrong_texts_are_errors(text: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        groups_of(read_metrics_text(text, "m.txt"))
    assert problem in str(raised.value)
    assert "m.txt" in str(raised.value)


@pytest.mark.parametrize("value", ["NaN", "-1", "+Inf", "1e300"])
def test_offsets_that_are_none_are_unknown(value: str) -> None:
    text = f'kafka_consumergroup_group_lag{{group="g",topic="t",partition="0"}} {value}\n'
    (found,) = groups_of(read_metrics_text(text, "m.txt")).values()
    assert found.last.offsets.unknown == {"t": [0]}
    given, _ = measured_input(found, "latest")
    assert Group.build(**given).lag.tolist() == [0]

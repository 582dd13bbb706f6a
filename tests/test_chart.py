"""The Helm chart, its dashboards and alerts, and the examples of scaling."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from prometheus_client import start_http_server
from support.exported_groups import served_families, served_names
from support.paths import CHECKOUT
from support.prometheus_stub import running_prometheus

from benchmarks.waiting import until
from equilag.cli.parser import build_parser

CHART: Final = CHECKOUT / "packaging/helm/equilag"
DASHBOARDS: Final = sorted((CHART / "dashboards").glob("*.json"))
SCALE: Final = CHECKOUT / "packaging/kubernetes/scale.yaml"
HELM: Final = "helm.sh/helm/v3/cmd/helm@v3.18.6"
OPERATORS: Final = {"ServiceMonitor", "PrometheusRule", "ScaledObject"}
"""Kinds whose schemas are not Kubernetes' own."""
RAISED: Final = {
    "ConsumerGroupFallsBehind": ("equilag_group_short{group='g'}", "5x30", "0x30"),
    "ConsumerGroupNeedsMembers": ("equilag_group_action{action='add-members'}", "1x30", "_x30"),
    "ConsumerGroupNeedsALook": ("equilag_group_cause{cause='stuck-member'}", "1x30", "1x3"),
    "ConsumerGroupUneven": ("equilag_group_action{action='move'}", "1x30", "_x30"),
    "ConsumerGroupNotRead": ("equilag_group_age_seconds{group='g'}", "300x30", "10x30"),
    "EquilagExporterReadsNothing": ("equilag_exporter_up", "0x30", "1x30"),
    "EquilagNobodyLeads": ("equilag_steward_role{role='leader'}", "0x30", "1x30"),
    "EquilagStewardUnhealthy": ("equilag_steward_healthy{group='g'}", "0x30", "1x30"),
    "EquilagPartitionsUnread": ("equilag_steward_unowned_partitions{group='g'}", "3x30", "0x30"),
}
"""Alert -> a series, 30 minutes of values that raise it, and of values that do not."""
yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")


def queries() -> list[str]:
    """All expressions of dashboards and alerts, for any group."""
    panels = [one for path in DASHBOARDS for one in json.loads(path.read_text("utf-8"))["panels"]]
    shown = [target["expr"] for panel in panels for target in panel["targets"]]
    (group,) = yaml.safe_load((CHART / "alerts.yaml").read_text("utf-8"))["groups"]
    alerts = [rule["expr"] for rule in group["rules"]]
    return [one.replace("$group", ".*") for one in shown + alerts]


def test_queries_ask_for_metrics_that_are_served() -> None:
    named = set(re.findall(r"equilag_[a-z_]+", "\n".join(queries())))
    assert len(named) > 20
    assert named <= served_names()


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_panels_have_a_unit_and_a_place_of_their_own(path: Path) -> None:
    panels = json.loads(path.read_text("utf-8"))["panels"]
    assert all(panel["fieldConfig"]["defaults"]["unit"] for panel in panels)
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [
        (x, y)
        for at in (panel["gridPos"] for panel in panels)
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(set(places)) == len(places)
    assert max(x for x, _ in places) < 24


def test_what_scales_asks_the_service_of_the_chart() -> None:
    scaled, hpa = yaml.safe_load_all(SCALE.read_text("utf-8"))
    (trigger,) = scaled["spec"]["triggers"]
    assert trigger["metadata"]["url"] == "http://equilag-exporter:9479/scale/orders"
    (metric,) = hpa["spec"]["metrics"]
    assert metric["external"]["metric"]["name"] in served_names()
    validated(hpa)


def validated(document: dict[str, Any]) -> None:
    """Raises what kubernetes-validate finds."""
    validate = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed"
    )
    if document["kind"] not in OPERATORS:
        validate.validate(document, validate.latest_version(), strict=True)


@pytest.fixture(scope="module")
def helm(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program: that of the machine, or one built by Go."""
    if found := shutil.which("helm"):
        return found
    if shutil.which("go") is None:
        pytest.skip("needs helm, or Go to build it")
    built = CHECKOUT / ".cache/helm"
    if not (built / "helm").exists():
        subprocess.run(["env", f"GOBIN={built}", "go", "install", HELM], check=True, timeout=1800)
    return str(built / "helm")


def rendered(helm: str, *settings: str) -> list[dict[str, Any]]:
    sets = [word for one in settings for word in ("--set", one)]
    done = subprocess.run(
        [helm, "template", "equilag", CHART, "--kube-version=1.30", *sets],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one]


EVERYTHING: Final = (
    "stewards[0].group=orders", "stewards[0].options={--auto-offset-reset=earliest}",
    "stewards[1].group=Pay_ments.v2", "clientSecret=login", "imagePullSecrets[0].name=pull",
    "exporter.options={--headroom=30,--threads=orders=4}", "serviceMonitor.enabled=true",
    "prometheusRule.enabled=true", "grafana.enabled=true", "nodeSelector.disk=ssd",
    "tolerations[0].key=spot",
)  # fmt: skip


@pytest.mark.long
def test_the_manifest_is_what_its_first_line_renders(helm: str) -> None:
    first, _, rendering = (CHART.parents[1] / "kubernetes/steward.yaml").read_text().partition("\n")
    _, *words = first.removeprefix("# ").split()
    done = subprocess.run([helm, *words], cwd=CHECKOUT, capture_output=True, text=True, timeout=60)
    assert rendering == done.stdout, "run its first line again"


@pytest.mark.long
@pytest.mark.parametrize("settings", [(), EVERYTHING], ids=["nothing", "everything"])
def test_the_chart_renders_what_kubernetes_and_equilag_take(
    helm: str, settings: tuple[str, ...]
) -> None:
    subprocess.run([helm, "lint", "--strict", CHART], check=True, timeout=60)
    found = rendered(helm, *settings)
    names = [(one["kind"], one["metadata"]["name"]) for one in found]
    assert len(set(names)) == len(names)
    for one in found:
        validated(one)
    deployments = [one for one in found if one["kind"] == "Deployment"]
    assert len(deployments) == (3 if settings else 1)
    for one in deployments:
        pod = one["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        given = vars(build_parser().parse_args([*container["args"], "--bootstrap-server=b:1"]))
        assert given["listen"] == ("0.0.0.0", container["ports"][0]["containerPort"])
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert pod["securityContext"]["runAsNonRoot"]
        variables = {env["name"] for env in container["env"]}
        assert ("EQUILAG_COMMAND_CONFIG" in variables) == bool(settings)
    if settings:
        maps = [one["data"] for one in found if one["kind"] == "ConfigMap"]
        assert {name for data in maps for name in data} == {path.name for path in DASHBOARDS}
        for data in maps:
            for text in data.values():
                json.loads(text)
        assert {kind for kind, _ in names} >= OPERATORS - {"ScaledObject"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (["stewards[0].group=a.b", "stewards[1].group=a_b"], "taken"),
        (["stewards[0].group=exporter"], "taken"),
        (["bootstrapServer=kafka"], "bootstrapServer"),
        (["stewards[0].options={-x}"], "options"),
        (["steward[0].group=a"], "steward"),
    ],
)
def test_values_that_cannot_be_are_named(helm: str, settings: list[str], problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        rendered(helm, *settings)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool of Prometheus")
def test_alerts_come_when_they_should(tmp_path: Path) -> None:
    subprocess.run(["promtool", "check", "rules", CHART / "alerts.yaml"], check=True, timeout=60)
    (group,) = yaml.safe_load((CHART / "alerts.yaml").read_text("utf-8"))["groups"]
    assert {rule["alert"] for rule in group["rules"]} == RAISED.keys()
    tests = []
    for name, (series, values, calm) in RAISED.items():
        for given, number in ((values, 1), (calm, 0)):
            firing = f'count(ALERTS{{alertname="{name}", alertstate="firing"}}) or vector(0)'
            expected = [{"labels": "{}", "value": number}]
            tests.append(
                {"interval": "1m", "input_series": [{"series": series, "values": given}],
                 "promql_expr_test": [
                     {"expr": firing, "eval_time": "20m", "exp_samples": expected}]}
            )  # fmt: skip
    file = tmp_path / "alerts.test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(CHART / "alerts.yaml")], "tests": tests}))
    subprocess.run(["promtool", "test", "rules", file], check=True, timeout=60)


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[str]:
    """A server that has scraped all that exporter and steward serve."""
    if shutil.which("prometheus") is None:
        pytest.skip("needs prometheus, such as Debian's package")
    registry: Any = SimpleNamespace(collect=served_families)
    server, thread = start_http_server(0, "127.0.0.1", registry)
    try:
        with running_prometheus(tmp_path, server.server_port, 0.5) as address:
            until(lambda: answered(address, "rate(equilag_steward_handouts_total[5m])"), 60)
            yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answered(address: str, query: str) -> list[Any]:
    """What Prometheus finds; AssertionError where it does not take the query."""
    with urlopen(f"{address}/api/v1/query?{urlencode({'query': query})}", timeout=10) as got:
        answer = json.load(got)
    assert answer["status"] == "success", query
    found: list[Any] = answer["data"]["result"]
    return found


@pytest.mark.long
def test_every_query_has_an_answer(prometheus: str) -> None:
    for query in queries():
        found = answered(prometheus, query)
        assert found or re.search(r"==|> \d", query), query

"""Settings of clients: properties files, certificates, and what is refused."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equilag.adapters.kafka.client_config import kafka_config, plain_config
from equilag.adapters.kafka.client_properties import checked_properties, read_properties, translated
from equilag.domain.errors import InputError, MissingExtra


def test_a_properties_file_for_both_clients(certificate: tuple[str, str], tmp_path: Path) -> None:
    """What only Java knows is left out."""
    text = Path(__file__).with_name("client.properties").read_text("utf-8")
    settings = translated(read_properties(text))
    assert settings == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "reader",
        "sasl.password": 'a"b=c',
        "ssl.ca.location": "/etc/ca.pem",
        "ssl.endpoint.identification.algorithm": "none",
        "client.id": "equilag-test",
    }
    with pytest.raises(InputError, match=r"used: /etc/ca\.pem: No such file") as caught:
        plain_config({**settings, "bootstrap.servers": "a:1"})
    assert caught.value.place == "ssl.ca.location"
    authority = tmp_path / "ca.pem"
    authority.write_text(translated({"ssl.truststore.certificates": certificate[0]})["ssl.ca.pem"])
    settings["ssl.ca.location"] = str(authority)
    plain = plain_config({**settings, "bootstrap.servers": "a:1, b:2"})
    context = plain.pop("ssl_context")
    assert not context.check_hostname
    assert [dict(*one["subject"]) for one in context.get_ca_certs()] == [{"commonName": "t"}]
    assert plain == {
        "bootstrap_servers": ["a:1", "b:2"],
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "reader",
        "sasl_plain_password": 'a"b=c',
        "client_id": "equilag-test",
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ssl.truststore.location=a.jks", "ssl.truststore.location"),
        ("ssl.keystore.location=a.p12\nssl.keystore.type=PKCS12", "ssl.keystore.location"),
        ("a=b\n=c", "line 2"),
    ],
)
def test_unusable_properties(text: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        translated(read_properties(text))
    assert caught.value.place == place


@pytest.mark.parametrize("name", ["ssl.keystore.location", "sasl.mechanism"])
def test_settings_that_kafka_python_lacks(name: str) -> None:
    with pytest.raises(InputError) as caught:
        plain_config({"bootstrap.servers": "a:1", name: "OAUTHBEARER"})
    assert caught.value.place == name


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate and its key, each in one line, as properties files have them."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("pem")
    made = [folder / "cert.pem", folder / "key.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=t",
         "-out", made[0], "-keyout", made[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    certificate, key = (" ".join(path.read_text("ascii").split("\n")) for path in made)
    return certificate, key


def test_pem_as_a_value(certificate: tuple[str, str]) -> None:
    chain, key = certificate
    text = (
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.certificates={chain}\n"
        f"ssl.keystore.type=PEM\nssl.keystore.certificate.chain={chain}\nssl.keystore.key={key}\n"
    )
    settings = {**translated(read_properties(text)), "bootstrap.servers": "127.0.0.1:1"}
    assert settings["ssl.ca.pem"].count("\n") > 5
    context = plain_config(settings)["ssl_context"]
    assert context.check_hostname
    assert [dict(*one["subject"]) for one in context.get_ca_certs()] == [{"commonName": "t"}]
    given = {**read_properties(text), "socket.timeout.ms": "100"}  # librdkafka accepts it
    assert checked_properties(given).items() >= {"socket.timeout.ms": "100"}.items()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("no.such.setting", "s3cr3t", "is no property of Kafka's clients"),
        ("sasl.pasword", "s3cr3t", "is no property .*, did you mean \"sasl.password\""),
        ("sasl.jaas.confg", "s3cr3t", "is no property .*, did you mean \"sasl.jaas.config\""),
        ("ssl.keystore.locaton", "x", "is no property .*, did you mean \"ssl.keystore.location"),
        ("socket.timeout.ms", "soon", "Invalid value for"),
        ("ssl.ca.location", "/gone", "cannot be used: /gone: No such file"),
        ("ssl.truststore.location", "/gone", "cannot be used: /gone: No such file"),
        ("sasl.kerberos.keytab", "/gone", "cannot be used: /gone: No such file"),
        ("ssl.key.location", "/", "cannot be used: /: Is a directory"),
        ("ssl.crl.location", "a\0b", "cannot be used: a.b: embedded null byte"),
        ("sasl.jaas.config", 'Krb5LoginModule required keyTab="/gone" principal="s3cr3t";',
         "cannot be used: /gone: No such file"),
    ],
)  # fmt: skip
def test_a_wrong_property_is_named_at_once(name: str, value: str, problem: str) -> None:
    pem = {"ssl.truststore.type": "PEM", "security.protocol": "PLAINTEXT"}
    with pytest.raises(InputError, match=problem) as caught:
        checked_properties({**pem, name: value})
    assert caught.value.place == name
    assert "s3cr3t" not in str(caught.value)


def test_what_only_librdkafka_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(MissingExtra, match=r"pip install 'equilag\[kafka\]'"):
        checked_properties({"no.such.setting": "1"})
    assert checked_properties({"max.block.ms": "1", "sasl.mechanisms": "PLAIN"}) == {
        "sasl.mechanism": "PLAIN"
    }


@pytest.mark.parametrize("server", ["a:99999", "a:0", "b:1, a:x", "SSL://a:", "[::1]:65536"])
def test_ports_that_there_are_not(server: str) -> None:
    with pytest.raises(InputError, match=r"--bootstrap-server: .* has no port between 1 and 65535"):
        kafka_config(server)


def test_servers_with_and_without_ports() -> None:
    for server in ("a", "SSL://a:65535", "::1", "[::1]", "[::1]:1", "a:1, b"):
        assert kafka_config(server)["bootstrap.servers"] == server


def test_settings() -> None:
    config = kafka_config(" a:1,b:2 ", {"client.id": "mine", "log_level": "7"})
    assert config == {"bootstrap.servers": "a:1,b:2", "client.id": "mine", "log_level": "7"}
    with pytest.raises(InputError, match="the bootstrap servers are given separately"):
        kafka_config("a:1", {"bootstrap.servers": "b:2"})


def test_invalid_pem(certificate: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"ssl.keystore.key: is not PEM") as caught:
        translated({"ssl.keystore.key": "secret"})
    assert "secret" not in str(caught.value)
    ours = {"bootstrap.servers": "a:1", "security.protocol": "SSL"}
    with pytest.raises(InputError, match=r"ssl.certificate.pem: cannot be used: "):
        plain_config({**ours, "ssl.certificate.pem": certificate[0]})  # without its key


@pytest.mark.parametrize("name", ["ca", "certificate", "key", "crl"])
def test_files_that_cannot_be_used_are_named_at_once(name: str, tmp_path: Path) -> None:
    ours = {"bootstrap.servers": "a:1", "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
    place, missing, empty = f"ssl.{name}.location", tmp_path / "missing", tmp_path / "empty"
    empty.touch()
    for path, reason in ((missing, "No such file"), (tmp_path, "Is a directory"), (empty, "")):
        if path != empty or name != "key":  # which means nothing without a certificate
            with pytest.raises(InputError, match=f"used: {path}: {reason}") as caught:
                plain_config({**ours, place: str(path)})
            assert caught.value.place == place

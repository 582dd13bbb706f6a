"""Properties of Kafka's clients from a file and from options, and secrets that nothing shows."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Final

import pytest

from equilag.cli.arguments.cluster import client_settings
from equilag.cli.arguments.source import source_words
from equilag.cli.parser import build_parser

LIVE: Final = ("--bootstrap-server", "127.0.0.1:9")
PLANTED: Final = "pl4nted"
SECRETS: Final = (
    f"sasl.password={PLANTED}",
    f'sasl.jaas.config=ScramLoginModule required username="u" password="{PLANTED}";',
    f"ssl.key.password={PLANTED}",
    f"ssl.keystore.key=-----BEGIN PRIVATE KEY----- {PLANTED} -----END PRIVATE KEY-----",
    f"sasl.oauthbearer.client.secret={PLANTED}",
    f"sasl.oauthbearer.config=principal={PLANTED}",
    f"sasl.pasword={PLANTED}",
    f"sals.password={PLANTED}",
    f"plan.key={PLANTED}",
)


def parsed(*words: str) -> argparse.Namespace:
    return build_parser().parse_args([*words])


def settings(*words: str) -> dict[str, str]:
    pytest.importorskip("confluent_kafka")
    return client_settings(parsed("groups", *LIVE, *words))


def properties(*given: str) -> list[str]:
    return [word for one in given for word in ("--command-property", one)]


def test_properties_come_before_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text(
        "sasl.mechanisms=PLAIN\nclient.id=one\nsasl.password=file\n"
        'sasl.jaas.config=X required username="u" password="jaas";\n', "utf-8",
    )  # fmt: skip
    config = ("--command-config", str(path))
    assert settings(*config) == {
        "sasl.mechanism": "PLAIN", "client.id": "one", "sasl.username": "u",
        "sasl.password": "jaas",
    }  # fmt: skip
    own = properties("sasl.mechanism=SCRAM-SHA-512", "sasl.password=a=b;", "client.id=")
    assert settings(*config, *own) == {
        "sasl.mechanism": "SCRAM-SHA-512", "client.id": "", "sasl.username": "u",
        "sasl.password": "a=b;",
    }  # fmt: skip
    assert settings(*own)["sasl.password"] == "a=b;"


def test_wrong_properties_are_named_with_their_place(refused, tmp_path, monkeypatch) -> None:
    pytest.importorskip("confluent_kafka")
    path = tmp_path / "client.properties"
    path.write_text("ssl.ca.location=/gone\n", "utf-8")
    gone = "ssl.ca.location: cannot be used: /gone: No such file or directory"
    words = ("groups", *LIVE, "--command-config", path)
    assert refused(*words) == f"{path}: {gone}"
    path.write_text("", "utf-8")
    own = "--command-property"
    assert refused(*words, own, "ssl.ca.location=/gone") == f"{own}: {gone}"
    assert refused(*words, own, "sasl.mechansm=x").startswith(
        f"{own}: sasl.mechansm: is no property of Kafka's clients, did you mean"
        ' "sasl.mechanism" or "sasl.mechanisms"'
    )
    for wrong in ("sasl.password", "=x", " =x"):
        said = refused(*words, own, wrong)
        assert said.startswith(f"{own}: a property is not of the form NAME=VALUE")
    assert refused("plan", "x", own, "client.id=x").startswith(f"{own} needs --bootstrap-server")
    monkeypatch.setenv("EQUILAG_COMMAND_PROPERTY", "client.id=x\nssl.ca.location=/gone")
    assert refused(*words) == f"{own}: {gone}; {own} is from EQUILAG_COMMAND_PROPERTY"


@pytest.mark.parametrize("secret", SECRETS, ids=lambda text: text.partition("=")[0])
def test_a_secret_is_in_no_error(run, tmp_path, monkeypatch, secret: str) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("equilag.adapters.kafka.group_reader.WAIT_S", 0.2)
    path, profiles = tmp_path / "client.properties", tmp_path / "config.toml"
    path.write_text(secret, "utf-8")
    profiles.write_text(f"[default]\ncommand_property = ['''{secret}''']\n[bad]\n'{secret}' = 1")

    def said(*words: str) -> None:
        status, out, err = run(*words)
        assert status == 2
        assert PLANTED not in out + err

    sasl = ("security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN")
    for words in (("--command-config", str(path)), (*properties(secret),)):
        said("groups", *LIVE, *words)
        said("groups", *LIVE, *words, *properties(*sasl))
    said("groups", *LIVE, "--command-proprty", secret)
    said("groups", *LIVE, f"--command-proprty={secret}")
    said("groups", *LIVE, secret)
    said("groups", *LIVE, "--command-property", secret.replace("=", ":"))
    monkeypatch.setenv("EQUILAG_COMMAND_PROPERTY", secret)
    said("groups", *LIVE)
    monkeypatch.setenv("EQUILAG_COMMAND_PROPERTY", "")
    monkeypatch.setenv("EQUILAG_CONFIG", str(profiles))
    said("groups", *LIVE)
    monkeypatch.setenv("EQUILAG_CONFIG", os.devnull)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda text: text.partition("=")[0])
def test_a_secret_is_in_no_command_of_a_report(secret: str) -> None:
    words = [*source_words(parsed("plan", *LIVE, "--group", "g", *properties(secret)))]
    assert f"{secret.partition('=')[0]}=***" in words
    harmless = "ssl.ca.location=/ca.pem", "client.id=x", "sasl.mechanism=PLAIN", "a=b"
    shown = [*source_words(parsed("plan", *LIVE, "--group", "g", *properties(*harmless)))]
    assert {*harmless} <= {*shown}

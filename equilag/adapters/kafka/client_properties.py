"""Properties of Kafka's clients by the names of Java's or of librdkafka, as `--command-config` and
`--command-property` of Kafka's own tools take them.

Java's names are translated if they have a counterpart; librdkafka accepts or refuses the rest.
Values are never part of an error, since they may be secrets; names of files are.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from equilag.adapters.kafka.client_config import PEM, SERVERS, UNDERSTOOD
from equilag.domain.errors import InputError, MissingExtra
from equilag.domain.show import guess

_STORES: Final = {
    "ssl.truststore.location": ("ssl.truststore.type", ("ssl.ca.location",)),
    "ssl.keystore.location": (
        "ssl.keystore.type",
        ("ssl.certificate.location", "ssl.key.location"),
    ),
}
"""Java's key stores: the property with their type, and librdkafka's names for the same file."""
_INLINE: Final = dict(zip(
    ("ssl.truststore.certificates", "ssl.keystore.certificate.chain", "ssl.keystore.key"), PEM,
    strict=True,
))  # fmt: skip
"""PEM text as the value."""
_IGNORED: Final = frozenset({
    SERVERS, "request.timeout.ms", "default.api.timeout.ms", "sasl.client.callback.handler.class",
    "ssl.truststore.type", "ssl.keystore.type", "ssl.truststore.password", "ssl.keystore.password",
    "ssl.protocol", "ssl.enabled.protocols", "ssl.provider", "ssl.keymanager.algorithm",
    "ssl.trustmanager.algorithm", "ssl.secure.random.implementation",
    "socket.connection.setup.timeout.max.ms", "key.deserializer", "value.deserializer",
    "key.serializer", "value.serializer", "metric.reporters", "interceptor.classes",
    "receive.buffer.bytes", "send.buffer.bytes",
    "auto.include.jmx.reporter", "enable.metrics.push", "security.providers",
    "ssl.engine.factory.class", "sasl.oauthbearer.scope.claim.name", "bootstrap.controllers",
    "fetch.max.wait.ms", "partition.assignment.strategy", "exclude.internal.topics",
    "buffer.memory", "max.request.size", "max.block.ms",
})  # fmt: skip
_IGNORED_PREFIXES: Final = ("sasl.login.", "sasl.kerberos.ticket.renew.", "metrics.")
"""Properties without a counterpart, or set in another way. Both clients negotiate the newest
TLS."""
_CREDENTIAL: Final = re.compile(r"\b(username|password)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_PEM: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_JAAS: Final = "sasl.jaas.config"
_MECHANISM_ALIAS: Final = "sasl.mechanisms"
NAMES: Final = sorted((*UNDERSTOOD, *_STORES, *_INLINE, *_IGNORED, _JAAS, _MECHANISM_ALIAS))
_NAMES_A_FILE: Final = (".location", ".keytab", ".file")
_KEYTAB: Final = re.compile(r"""\bkeyTab\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def checked_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Return librdkafka's settings for properties. Raises InputError at the name of a property that
    is not known, has a wrong value or names a file that cannot be read; MissingExtra."""
    found = translated(properties)
    for name, value in properties.items():
        if not value and name not in NAMES:  # which may be a part of a secret
            raise InputError("a line without a value is no property")
        if name.endswith(_NAMES_A_FILE):
            _check_file(value, name)
        elif name == _JAAS and (keytab := _KEYTAB.search(value)):
            _check_file(keytab[1] or keytab[2], name)
    _check_rest({name: value for name, value in found.items() if name not in UNDERSTOOD})
    return found


def _check_file(path: str, name: str) -> None:
    try:
        Path(path).open("rb").close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be used: {path}: {reason}", name) from error


def read_properties(text: str) -> dict[str, str]:
    r"""Return keys and values of a Java properties file. Raises InputError.

    Comments start with `#` or `!`; `=`, `:` or a space separates key and value; a line that ends
    with a backslash continues on the next one; `\uXXXX` and the like are characters.
    """
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for number, first in enumerate(lines, 1):
        line = first.lstrip()
        if not line or line[0] in "#!":
            continue
        while _continues(line):
            line = line[:-1] + next(lines, "").lstrip()
        match = re.match(r"((?:[^\\=:\s]|\\.)*)\s*[=:]?\s*(.*)", line, re.DOTALL)
        assert match is not None
        if not match[1]:
            raise InputError("the line has no key", f"line {number}")
        found[_unescaped(match[1])] = _unescaped(match[2].rstrip())
    return found


def translated(properties: Mapping[str, str]) -> dict[str, str]:
    """Return Java's names as librdkafka's. Raises InputError for Java key stores other than PEM."""
    found: dict[str, str] = {}
    for name, value in properties.items():
        if name in _IGNORED or name.startswith(_IGNORED_PREFIXES):
            continue
        if name in _STORES:
            kind, names = _STORES[name]
            if properties.get(kind, "JKS").upper() != "PEM":
                raise InputError(
                    f"Java key stores are not supported: use a PEM file and {kind}=PEM", name
                )
            found |= dict.fromkeys(names, value)
        elif name in _INLINE:
            found[_INLINE[name]] = _pem(value, name)
        elif name == _JAAS:
            found |= _credentials(value)
        elif name == _MECHANISM_ALIAS:
            found["sasl.mechanism"] = value
        elif name == "ssl.endpoint.identification.algorithm":
            found[name] = value.lower() or "none"
        else:
            found[name] = value
    return found


def _pem(value: str, name: str) -> str:
    """Return PEM with the line breaks that OpenSSL requires; properties files often have one line.

    Raises InputError, which never shows the value.
    """
    blocks = _PEM.findall(value)
    if not blocks:
        raise InputError("is not PEM: -----BEGIN …----- is missing", name)
    return "".join(
        "\n".join([f"-----BEGIN {kind}-----", *textwrap.wrap("".join(body.split()), 64),
                   f"-----END {kind}-----", ""])
        for kind, body in blocks
    )  # fmt: skip


def _credentials(jaas: str) -> dict[str, str]:
    """Return user and password from a `sasl.jaas.config`; nothing for modules without them."""
    found = {name: re.sub(r"\\(.)", r"\1", double) or single
             for name, double, single in _CREDENTIAL.findall(jaas)}  # fmt: skip
    return {f"sasl.{name}": value for name, value in found.items()}


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(found[2], found[2])

    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", one, text, flags=re.DOTALL)


def _check_rest(settings: Mapping[str, str]) -> None:
    """Let librdkafka check the settings that kafka-python has no counterpart for."""
    if not settings:
        return
    try:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import AdminClient
    except ImportError as error:
        problem = "confluent-kafka is not installed: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error
    try:
        # librdkafka would write to stderr by itself.
        AdminClient({SERVERS: "localhost", "log_level": 0, **settings})
    except KafkaException as error:
        cause = error.args[0] if error.args else error
        problem = cause.str() if isinstance(cause, KafkaError) else str(cause)
        name = next((one for one in settings if f'"{one}"' in problem), "")
        if problem.startswith("No such"):
            problem = f"is no property of Kafka's clients{guess(name, NAMES)}"
        raise InputError(problem, name) from error

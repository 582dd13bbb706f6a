"""Settings of Kafka clients: librdkafka's; from a `.properties` file, as for `--command-config` of
Kafka's own tools; and as kafka-python's.

Names in a file may be Java's or librdkafka's. Java's are translated if they have a counterpart;
librdkafka accepts or refuses the rest.
"""

from __future__ import annotations

import re
import tempfile
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from equilag.domain.errors import InputError, MissingExtra

if TYPE_CHECKING:
    import ssl

Config: TypeAlias = dict[str, str | int]

SERVERS: Final = "bootstrap.servers"
MAX_PORT: Final = 2**16 - 1


def kafka_config(bootstrap: str, overrides: Mapping[str, str] | None = None) -> Config:
    """Return the settings of every client; `overrides` are librdkafka properties by name.

    Raises InputError if `bootstrap` is empty or has a wrong port, or `overrides` names servers.
    Wrong names and values are found when a client is made.
    """
    if not bootstrap.strip():
        raise InputError("is empty; expected host:port", "bootstrap servers")
    if (problem := wrong_port(bootstrap)) is not None:
        raise InputError(problem, "--bootstrap-server")
    overrides = overrides or {}
    if SERVERS in overrides:
        raise InputError("the bootstrap servers are given separately", SERVERS)
    # librdkafka would write to stderr by itself.
    return {"client.id": "equilag", "log_level": 0, **overrides, SERVERS: bootstrap.strip()}


def wrong_port(bootstrap: str) -> str | None:
    """Return what is wrong with a port in a list of servers, or None: librdkafka takes only the
    last 16 bits of a number. A server may lack a port, and an IPv6 address has brackets with one.
    """
    for server in bootstrap.split(","):
        address = server.strip().rpartition("://")[2]
        _, colon, port = address.rpartition("]")[2].rpartition(":")
        if not colon or (address.count(":") > 1 and "]" not in address):
            continue
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= MAX_PORT):
            return f"{server.strip()!r} has no port between 1 and {MAX_PORT}"
    return None


@contextmanager
def quietly() -> Iterator[None]:
    """For imports of kafka-python: it reads its schemas with a function that is deprecated in
    Python 3.11 and 3.12."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def kafka_python() -> Iterator[None]:
    """For imports of kafka-python that reading a cluster needs. Raises MissingExtra without it."""
    try:
        with quietly():
            yield
    except ImportError as error:
        problem = "reading a cluster needs kafka-python: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error


_STORES: Final = {
    "ssl.truststore.location": ("ssl.truststore.type", ("ssl.ca.location",)),
    "ssl.keystore.location": (
        "ssl.keystore.type",
        ("ssl.certificate.location", "ssl.key.location"),
    ),
}
"""Java's key stores: the property with their type, and librdkafka's names for the same file."""
_INLINE: Final = {
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}
"""PEM text as the value."""
_IGNORED: Final = frozenset({
    SERVERS, "request.timeout.ms", "default.api.timeout.ms", "sasl.client.callback.handler.class",
    "ssl.truststore.type", "ssl.keystore.type", "ssl.truststore.password", "ssl.keystore.password",
    "ssl.protocol", "ssl.enabled.protocols", "ssl.provider", "ssl.keymanager.algorithm",
    "ssl.trustmanager.algorithm", "ssl.secure.random.implementation",
    "socket.connection.setup.timeout.max.ms", "key.deserializer", "value.deserializer",
    "key.serializer", "value.serializer", "metric.reporters", "interceptor.classes",
    "receive.buffer.bytes", "send.buffer.bytes",
    "auto.include.jmx.reporter", "enable.metrics.push",
})  # fmt: skip
_IGNORED_PREFIXES: Final = ("sasl.login.", "sasl.kerberos.ticket.renew.", "metrics.")
"""Properties without a counterpart, or set in another way. Both clients negotiate the newest
TLS."""
_CREDENTIAL: Final = re.compile(r"\b(username|password)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_PEM: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_PLAIN: Final = {
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "sasl.kerberos.service.name": "sasl_kerberos_service_name",
    "client.id": "client_id",
}
_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_FILES: Final = ("ssl.ca.location", "ssl.certificate.location", "ssl.key.location",
                 "ssl.crl.location")  # fmt: skip
UNDERSTOOD: Final = frozenset({
    SERVERS, *_PLAIN, *_INLINE.values(), *_FILES, "log_level", "security.protocol",
    "sasl.mechanism", "sasl.mechanisms", "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
})  # fmt: skip
"""librdkafka's properties that `plain_config` translates; the log level concerns librdkafka
alone."""
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI")


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
        elif name == "sasl.jaas.config":
            found |= _credentials(value)
        elif name == "ssl.endpoint.identification.algorithm":
            found[name] = value.lower() or "none"
        else:
            found[name] = value
    return found


def plain_config(config: Config) -> dict[str, Any]:
    """Return kafka-python's settings for the cluster of a librdkafka configuration.

    Raises InputError for login methods that kafka-python does not support, and for certificates
    and keys that cannot be used: kafka-python itself would try until no broker answers.
    """
    found: dict[str, Any] = {
        "bootstrap_servers": [one.strip() for one in str(config[SERVERS]).split(",")]
    }
    for name, plain in _PLAIN.items():
        if name in config:
            found[plain] = config[name]
    protocol = str(config.get("security.protocol", "PLAINTEXT")).upper()
    if protocol not in _PROTOCOLS:
        raise InputError(f"{protocol!r} is none of {', '.join(_PROTOCOLS)}", "security.protocol")
    found["security_protocol"] = protocol
    mechanism = config.get("sasl.mechanism", config.get("sasl.mechanisms"))
    if mechanism is None and protocol.startswith("SASL"):
        mechanism = "GSSAPI"  # the default of Kafka's own clients
    if mechanism is not None:
        if mechanism not in _MECHANISMS:
            raise InputError(f"{mechanism!r} is none of {', '.join(_MECHANISMS)}", "sasl.mechanism")
        found["sasl_mechanism"] = mechanism
    for name in ("ssl.keystore.location", "ssl.ca.certificate.stores", "ssl.engine.location"):
        if name in config:
            raise InputError("is not supported: name PEM files by their location", name)
    if protocol.endswith("SSL"):
        found["ssl_context"] = _context(config)
    return found


def _context(config: Config) -> ssl.SSLContext:
    """Return the TLS context of these settings. Raises InputError, which names the setting."""
    import ssl

    place = "ssl.ca.location" if "ssl.ca.location" in config else "ssl.ca.pem"

    def given(name: str) -> str | None:
        return str(config[name]) if name in config else None

    def file(name: str) -> str | None:
        """The file that a setting names, once it could be opened."""
        nonlocal place
        if (path := given(name)) is not None:
            place = name
            Path(path).open("rb").close()
        return path

    try:
        authority = file("ssl.ca.location")
        context = ssl.create_default_context(cafile=authority, cadata=given("ssl.ca.pem"))
        context.check_hostname = config.get("ssl.endpoint.identification.algorithm") != "none"
        password = given("ssl.key.password") or ""
        key = file("ssl.key.location")
        if (certificate := file("ssl.certificate.location")) is not None:
            context.load_cert_chain(certificate, key, password)
        elif "ssl.certificate.pem" in config or "ssl.key.pem" in config:
            place = "ssl.certificate.pem"
            parts = (given("ssl.key.pem"), given("ssl.certificate.pem"))
            # Readable by its owner only.
            with tempfile.NamedTemporaryFile("w", suffix=".pem") as both:
                both.write("\n".join(part for part in parts if part))
                both.flush()
                context.load_cert_chain(both.name, password=password)
        if (revoked := file("ssl.crl.location")) is not None:
            context.load_verify_locations(revoked)
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    except (OSError, ValueError) as error:
        path, reason = given(place), getattr(error, "strerror", None) or error
        where = f"{path}: " if place in _FILES else ""
        raise InputError(f"cannot be used: {where}{reason}", place) from error
    return context


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


def check_settings(config: Config) -> None:
    """Let librdkafka check the settings that kafka-python has no counterpart for. Raises
    InputError, MissingExtra."""
    if all(name in UNDERSTOOD for name in config):
        return
    try:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import AdminClient
    except ImportError as error:
        problem = "confluent-kafka is not installed: pip install 'equilag[kafka]'"
        raise MissingExtra(problem) from error
    try:
        AdminClient({**config})
    except KafkaException as error:
        cause = error.args[0] if error.args else error
        problem = cause.str() if isinstance(cause, KafkaError) else str(cause)
        raise InputError(problem, "", str(config[SERVERS])) from error

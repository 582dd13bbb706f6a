"""Settings of Kafka clients: librdkafka's, which `client_properties` reads, and kafka-python's."""

from __future__ import annotations

import tempfile
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
    """
    if not bootstrap.strip():
        raise InputError("is empty; expected host:port", "--bootstrap-server")
    if "@" in bootstrap:
        raise InputError("has a login in it; --command-config names a file for it",
                         "--bootstrap-server")  # fmt: skip
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


_PLAIN: Final = {
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "sasl.kerberos.service.name": "sasl_kerberos_service_name",
    "client.id": "client_id",
}
_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_FILES: Final = ("ssl.ca.location", "ssl.certificate.location", "ssl.key.location",
                 "ssl.crl.location")  # fmt: skip
PEM: Final = ("ssl.ca.pem", "ssl.certificate.pem", "ssl.key.pem")
UNDERSTOOD: Final = frozenset({
    SERVERS, *_PLAIN, *_FILES, *PEM, "log_level", "security.protocol",
    "sasl.mechanism", "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
})  # fmt: skip
"""librdkafka's properties that `plain_config` translates; the log level concerns librdkafka
alone."""
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI")


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
    mechanism = config.get("sasl.mechanism")
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

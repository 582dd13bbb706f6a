"""A Prometheus server: the samples of the last minutes, as they were scraped."""

from __future__ import annotations

import base64
import json
import re
import ssl
import time
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from equilag.adapters.files import read_text
from equilag.adapters.prometheus.series import DIALECTS, Dialect, MetricSeries, MetricsRead
from equilag.domain.errors import InputError
from equilag.domain.figures import in_a_row, shorten
from equilag.domain.show import MASK, guess, show

WAIT_S: Final = 30.0
"""Seconds for an answer; a server gives up on a query after 2 minutes by default."""
MAX_BYTES: Final = 256 * 2**20
"""Of an answer: 10,000 partitions over an hour of 15 s are 70 MiB."""
STALE_S: Final = 300.0
"""Age beyond which Prometheus itself takes no sample for the present."""
MAX_TOPICS: Final = 200
"""Topics that a query names; the ends of more are read for all topics."""
SETTINGS: Final = ("username", "password", "token", "ca", "cert", "key")
"""What the file of settings may have; the last three, and those with `.file`, name files."""


class _SameHost(HTTPRedirectHandler):
    """Follows no redirection: it would carry the login to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


def read_settings(properties: Mapping[str, str], source: str) -> dict[str, str]:
    """Login and TLS from properties; with `.file` behind its name, a value stands in a file. Raises
    InputError."""
    found = {}
    for key, value in properties.items():
        name, is_file = key.removesuffix(".file"), key.endswith(".file")
        if not value:
            raise InputError("a line without a value is no setting", source=source)
        if name not in SETTINGS:
            problem = f"is none of {', '.join(SETTINGS)}{guess(name, SETTINGS)}"
            raise InputError(problem, key, source)
        if is_file and name not in ("ca", "cert", "key"):
            try:
                value = read_text(value).strip()
            except InputError as error:
                raise InputError(error.problem, key, source) from error
        if not value.isprintable() or (name == "token" and not value.isascii()):
            raise InputError("has characters that it cannot have", key, source)
        found[name] = value
    for name, other in (("password", "username"), ("key", "cert")):
        if name in found and other not in found:
            raise InputError(f"needs {other}", name, source)
    return found


class PrometheusServer:
    """Asks one server; `settings` are those of `read_settings`. Raises InputError, which names the
    query, for whatever goes wrong; no message has a login in it."""

    def __init__(self, url: str, settings: Mapping[str, str] | None = None) -> None:
        if "@" in url:
            raise InputError("has a login in it; --prometheus-config names a file for it",
                             "--prometheus")  # fmt: skip
        try:
            parts = urlsplit(url)
            is_address = parts.hostname and parts.port != 0 and not parts.query + parts.fragment
        except ValueError:
            is_address = False
        if not is_address:  # which may have a secret in it
            raise InputError("is no address such as http://host:9090", "--prometheus")
        self.url, own = url.rstrip("/"), settings or {}
        self._headers = {"Accept": "application/json"}
        self._secrets = [own[name] for name in ("token", "password") if own.get(name)]
        if "token" in own:
            self._headers["Authorization"] = f"Bearer {own['token']}"
        elif "username" in own:
            login = f"{own['username']}:{own.get('password', '')}".encode()
            self._secrets.append(base64.b64encode(login).decode())
            self._headers["Authorization"] = f"Basic {self._secrets[-1]}"
        try:
            context = ssl.create_default_context(cafile=own.get("ca"))
            if "cert" in own:
                # Without a password OpenSSL would ask for that of a key on the terminal.
                context.load_cert_chain(own["cert"], own.get("key"), password="")
        except OSError as error:
            raise InputError(f"TLS: {error.strerror or error}", "--prometheus-config") from error
        self._opener = build_opener(_SameHost, HTTPSHandler(context=context))

    def read(
        self, at: float | None, window_s: float, selector: str = "", group: str | None = None
    ) -> MetricsRead:
        """What the first exporter that the server knows said in the `window_s` seconds before a
        moment, by default now; of one group, and of series with the labels of `selector`."""
        now = time.time() if at is None else at
        for dialect in DIALECTS:
            mine = [selector] if selector else []
            if group is not None:
                mine.append(f"{dialect.group}={json.dumps(group, ensure_ascii=False)}")
            lag = self._series(dialect.lag, mine, now, window_s)
            if lag:
                return self._rest(dialect, lag, selector, mine, now, window_s)
        labels = ", ".join(mine[:-1] if group is not None else mine)
        tools = in_a_row([one.lag for one in DIALECTS])
        of = f" of group {show(group)}" if group is not None else ""
        where = f" with {labels}" if labels else ""
        problem = f"has no metrics{of}{where} in the {window_s:g} s up to then: none of {tools}"
        raise InputError(problem, source=self.url)

    def _rest(
        self, dialect: Dialect, lag: list[MetricSeries], selector: str, mine: list[str], now: float,
        window_s: float,
    ) -> MetricsRead:  # fmt: skip
        newest = max(one.points[-1][0] for one in lag)
        if newest < now - STALE_S:
            problem = f"the newest sample of {dialect.lag} is {now - newest:.0f} s old"
            raise InputError(problem, source=self.url)
        found = {dialect.lag: lag}
        topics = sorted({one.labels.get(dialect.topic, "") for one in lag})
        ends = [selector] if selector else []
        if len(topics) <= MAX_TOPICS:
            names = "|".join(map(re.escape, topics))
            ends.append(f"{dialect.topic}=~{json.dumps(names, ensure_ascii=False)}")
        for name in dialect[2:6]:
            if name:
                of_group = name in (dialect.committed, dialect.members)
                found[name] = self._series(name, mine if of_group else ends, now, window_s)
        return MetricsRead(dialect, found, self.url, now)

    def _series(
        self, name: str, matchers: list[str], at: float, window_s: float
    ) -> list[MetricSeries]:
        query = f"{name}{{{','.join(matchers)}}}[{window_s * 1000:.0f}ms]"
        asked = {"query": query, "time": f"{at:.3f}"}
        try:
            answer = json.loads(self._fetch(asked))
            if answer["status"] != "success":
                raise ValueError(shorten(str(answer.get("error", "no reason given")), 300))
            if answer.get("warnings"):
                raise ValueError(f"half an answer: {shorten(str(answer['warnings'][0]), 300)}")
            data = answer["data"]
            if data["resultType"] != "matrix":
                raise ValueError(f"a {data['resultType']} in place of a matrix")
            found = [
                MetricSeries(
                    {name: str(value) for name, value in one["metric"].items()},
                    [(float(when), float(number)) for when, number in one["values"]],
                )
                for one in data["result"]
                if one.get("values")
            ]
            times = [when for one in found for when, _ in one.points]
            if not all(at - window_s - 1 <= when <= at + 1 for when in times):
                raise ValueError("samples of times that were not asked for")
            return found
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            problem = f"{query}: the answer is not that of a Prometheus server"
            raise InputError(problem, source=self.url) from error
        except ValueError as error:  # also of JSON
            what = "the answer is no JSON, or cut off" if isinstance(
                error, json.JSONDecodeError | UnicodeDecodeError) else str(error)  # fmt: skip
            for secret in self._secrets:  # which a server may repeat
                what = what.replace(secret, MASK)
            raise InputError(f"{query}: {what}", source=self.url) from error

    def _fetch(self, asked: Mapping[str, str]) -> bytes:
        try:  # by POST, since a query with 200 topics is too long for the address
            data = urlencode(asked).encode()
            request = Request(f"{self.url}/api/v1/query", data, self._headers)
            with self._opener.open(request, timeout=WAIT_S) as answer:
                return _whole(answer)
        except HTTPError as error:
            try:
                with error:
                    reason = str(json.loads(_whole(error))["error"])
            except (ValueError, KeyError, TypeError, RecursionError, OSError, HTTPException):
                reason = f"HTTP {error.code} {error.reason}"
            raise ValueError(shorten(reason, 300)) from error
        except (OSError, HTTPException) as error:
            raise ValueError(f"no answer: {getattr(error, 'reason', None) or error}") from error


def _whole(answer: Any) -> bytes:
    """The body of an answer. Raises ValueError for one that is too large, or takes too long."""
    begun, parts, size = time.monotonic(), [], 0
    while part := answer.read1(2**20):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES >> 20} MiB: take a shorter --window or a group")
        if time.monotonic() > begun + WAIT_S:
            raise ValueError(f"no whole answer within {WAIT_S:g} s")
    return b"".join(parts)

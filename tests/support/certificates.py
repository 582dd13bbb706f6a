"""Certificates of an authority of a test's own, made with openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_KEY = ("-newkey", "rsa:2048", "-nodes")


class Authority:
    """Signs certificates; all of its files are in one folder."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self.certificate = folder, folder / "ca.pem"
        subject = ("-subj", "/CN=authority", "-days", "2")
        key = folder / "ca.key"
        self._run("req", "-x509", *_KEY, *subject, "-out", self.certificate, "-keyout", key)

    def signed(self, name: str, days: int = 2) -> Path:
        """A file with a private key and its certificate for 127.0.0.1; expired if `days` < 0."""
        request, key, both = (self._folder / f"{name}.{end}" for end in ("csr", "key", "pem"))
        subject = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
        self._run("req", *_KEY, *subject, "-out", request, "-keyout", key)
        self._run(
            "x509", "-req", "-in", request, "-CA", self.certificate,
            "-CAkey", self._folder / "ca.key", "-days", days, "-copy_extensions", "copyall",
            "-out", both,
        )  # fmt: skip
        both.write_text(key.read_text("ascii") + both.read_text("ascii"), "ascii")
        return both

    def _run(self, *words: object) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=60)

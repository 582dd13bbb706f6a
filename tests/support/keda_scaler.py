"""KEDA's own `metrics-api` scaler, built from its Go module: what it makes of an address."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from support.paths import CHECKOUT

from benchmarks.toolchains import failure, make_once

MODULE: Final = "github.com/kedacore/keda/v2@v2.21.0"
SOURCES: Final = Path(__file__).parent / "keda"
BUILT: Final = CHECKOUT / ".cache/keda"
SCALERS: Final = ("metrics_api_scaler.go", "scaler.go")
"""What is kept of some 80 scalers, as it is."""
REST: Final = 'package scalers\n\nconst externalMetricType = "External"\n'
"""What they take from the file of another one."""
BUILD_S: Final = 3_000
"""Some 900 packages, the first time."""


def build_keda() -> None:
    """Build it once. Skips the test where that is not possible."""
    make_once(BUILT, _build)


def keda_says(metadata: Mapping[str, str]) -> dict[str, Any]:
    """The scaler's metric target and value for a trigger's metadata; its words under `error` if it
    has none."""
    done = subprocess.run(
        [BUILT / "ask"], input=json.dumps(metadata), capture_output=True, text=True, timeout=60
    )
    found: dict[str, Any] = {"error": done.stderr}
    return found if done.returncode else found | json.loads(done.stdout)


def _build(folder: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("needs Go to build KEDA's scaler")
    run = subprocess.run(
        ["go", "mod", "download", "-json", MODULE], capture_output=True, text=True, timeout=600
    )
    if run.returncode:
        pytest.skip(f"Go cannot fetch KEDA: {run.stdout[-200:]}{run.stderr[-200:]}")
    work = folder / "source"
    shutil.copytree(SOURCES, work)
    for part in ("apis", "pkg", "version"):
        shutil.copytree(Path(json.loads(run.stdout)["Dir"]) / part, work / "keda" / part)
    for name in ("go.mod", "go.sum"):
        shutil.copyfile(Path(json.loads(run.stdout)["Dir"]) / name, work / "keda" / name)
    shutil.copyfile(work / "keda/go.sum", work / "go.sum")
    scalers = work / "keda/pkg/scalers"
    scalers.chmod(0o755)  # the cache of modules is read-only
    for file in scalers.glob("*.go"):
        if file.name not in SCALERS:
            file.unlink()
    (scalers / "rest.go").write_text(REST)
    command = ["nice", "-n5", "go", "build", "-mod=mod", "-o", str(folder / "ask"), "."]
    problem = failure("Go", "build KEDA's scaler", command, work, BUILD_S)
    shutil.rmtree(work)
    if problem is not None:
        pytest.skip(problem)

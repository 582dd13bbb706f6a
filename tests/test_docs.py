"""The pages are true: links lead somewhere, examples run, and the reference names everything."""

from __future__ import annotations

import argparse
import inspect
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_type_hints

import pytest
from support.exported_groups import served_names
from support.markdown import (
    blocks,
    command_lines,
    links,
    pages,
    promised,
    run,
    runnable,
    sections,
    shown,
    shows,
    slug,
)
from support.paths import CHECKOUT, SAMPLES
from support.renew_pages import renewed

import equilag
from benchmarks.pictures.screenshots import SCREENSHOTS
from benchmarks.schemas.write_reference import commands, with_lists
from equilag.cli.parser import build_parser
from equilag.domain.building.group_input import GroupInput
from equilag.domain.building.member_fields import MEMBER_FIELDS
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.planner.solving.run_settings import PolicySettings

DOCS: Final = CHECKOUT / "docs"
README: Final = (CHECKOUT / "README.md").read_text("utf-8")
REFERENCE: Final = (DOCS / "reference.md").read_text("utf-8")
FORMATS: Final = (DOCS / "reference-formats.md").read_text("utf-8")
PAGES: Final = {str(path.relative_to(CHECKOUT)): path.read_text("utf-8") for path in pages()}

README_LINES: Final = 150
"""The result and the way to it fit one look; everything else is a page of its own."""


COMMANDS: Final = commands()


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The long options that a command's --help shows."""
    for action in parser._actions:
        if action.help is not argparse.SUPPRESS:
            yield from (name for name in action.option_strings if name.startswith("--"))


def documented(text: str) -> set[str]:
    """The options that a text names as code."""
    code = "\n".join(re.findall(r"`([^`\n]+)`", text))
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", code))


def test_metrics_that_pages_name_exist() -> None:
    named = set(
        re.findall(r"\bequilag_(?:steward|group|exporter)_[a-z_]+", "\n".join(PAGES.values()))
    )
    assert len(named) > 3
    assert named <= served_names()


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= README_LINES


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in links(PAGES[page]):
        path, _, anchor = target.partition("#")
        found = (CHECKOUT / page).parent / path if path else CHECKOUT / page
        assert found.is_file(), target  # the site knows no folders
        if anchor:
            assert anchor in sections(found.read_text("utf-8")), target


def test_every_page_is_in_the_index() -> None:
    index = {(DOCS / target).resolve() for target in links(PAGES["docs/README.md"])}
    missing = set(DOCS.rglob("*.md")) - index - {DOCS / "README.md"}
    assert not missing
    assert {"../ARCHITECTURE.md", "../CONTRIBUTING.md"} <= set(links(PAGES["docs/README.md"]))


def own_and_shared(command: str) -> tuple[str, str]:
    """The section of the reference on a command, and those that it links to."""
    parts = sections(REFERENCE)
    own = parts["commands" if command == "equilag" else slug(command)]
    targets = links(own)
    if "#options-for-a-group" in targets:
        targets += links(parts["options-for-a-group"])
    targets.append("#configuration")
    return own, "".join(parts.get(target.removeprefix("#"), "") for target in targets)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_has_every_option_of_a_command(command: str) -> None:
    for_all = set() if command == "equilag" else {"--help"}
    missing = set(options(COMMANDS[command])) - documented("".join(own_and_shared(command)))
    assert not missing - for_all


def test_the_reference_names_no_option_that_is_not_there() -> None:
    known = {name for parser in COMMANDS.values() for name in parser._option_string_actions}
    foreign = {"--describe", "--members", "--verbose", "--all-groups"}  # of kafka-consumer-groups
    elsewhere = {"docs/benchmark.md", "docs/fleet.md", "docs/install.md"}  # of other programs
    for page in ["README.md", *(name for name in PAGES if re.match(r"docs/[^/]+$", name))]:
        assert page in elsewhere or documented(PAGES[page]) <= known | foreign, page


def test_the_reference_lists_options_as_they_are_declared() -> None:
    """`make reference` renews it."""
    assert with_lists(REFERENCE) == REFERENCE


def test_the_reference_has_every_name() -> None:
    parts = sections(REFERENCE)
    settings = parts["policies-and-settings"]
    every_setting = settings + parts["settings-of-an-extended-group"]
    assert [
        name for name in {*dir(equilag)} - {"__version__"} if f"`equilag.{name}" not in REFERENCE
    ] == []
    for names, text in (
        (get_type_hints(PolicySettings), every_setting),
        (get_type_hints(GroupInput), parts["groupbuild"]),
        ((*POLICIES, *BALANCES), settings),
    ):
        assert [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("call", ["solve", "Member"])
def test_the_reference_has_every_argument_of(call: str) -> None:
    (written,) = re.findall(rf"`(?:equilag\.)?{call}\(([^`]*)\)`", REFERENCE)
    for name, parameter in inspect.signature(getattr(equilag, call)).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            name = f"**{name}"
        default = parameter.default
        text = json.dumps(default) if isinstance(default, str) else repr(default)
        expected = name if default is inspect.Parameter.empty else f"{name}={text}"
        assert expected in re.split(r", ", written), expected


def test_the_formats_have_every_field_of_a_snapshot() -> None:
    parts = sections(FORMATS)
    for field in MEMBER_FIELDS:
        assert f"`{field}`" in parts["members"]
    for field in example("snapshot"):
        assert f"- `{field}`" in parts["snapshot"]
    real = example("extended-groups")
    assert {"rates", "weights", "allowed", "co_partitioned"} <= real.keys()
    equilag.load_snapshot(real)
    for field in real.keys() - example("snapshot").keys():
        assert f"- `{field}`" in parts["extended-groups"]


def example(section: str) -> dict[str, Any]:
    """The JSON in a section of the formats."""
    (block,) = [b for b in blocks(sections(FORMATS)[section]) if b.code.startswith("{\n")]
    document: dict[str, Any] = json.loads(block.code)
    return document


def test_the_plan_of_the_formats_is_that_of_their_snapshot() -> None:
    group = equilag.load_snapshot(example("snapshot"))
    plan = json.loads(json.dumps(equilag.solve(group, effort=0.1).to_dict()))
    written = example("plan")
    assert plan["timing"].keys() == written.pop("timing").keys()
    del plan["timing"], plan["verdict"]  # which has a section of its own
    assert plan == written


def test_commands_in_examples_are_right() -> None:
    found = [(page, words) for page, text in PAGES.items() for words in command_lines(text)]
    assert len(found) >= 50
    for page, words in found:
        assert "--help" in words or build_parser().parse_args(words), page


def test_make_targets_are_there() -> None:
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    for page, text in PAGES.items():
        code = "\n".join(block.code for block in blocks(text) if block.language in ("", "sh"))
        for target in re.findall(r"`make ([a-z-]+)", text) + re.findall(
            r"^make ([a-z-]+)", code, re.MULTILINE
        ):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{page}: make {target}"


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if runnable(text)])
def test_the_examples_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SAMPLES, tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    names = dict[str, Any]()
    for block in runnable(PAGES[page]):
        printed = run(block, names)
        if block.code.startswith("$ "):
            assert shows(block, printed), f"{block.code} -- make examples renews it"
        assert Counter(promised(block)) <= Counter(printed)


def test_pages_have_examples_that_run() -> None:
    assert len(shown(README)) == len(shown(PAGES["docs/comparison.md"])) == 1
    assert len(shown(PAGES["docs/extended-groups.md"])) >= 5
    assert any(promised(block) for block in runnable(README))


def test_what_a_page_leaves_out_stays_left_out() -> None:
    """By `make examples`."""
    written = ["a 1", "  […]", "c 3", "d 4", "[…]"]
    printed = ["new", "a 2", "b 2", "c 5", "x", "d 6", "e 7"]
    assert renewed(written, printed) == ["new", "a 2", "  […]", "c 5", "x", "d 6", "[…]"]


def test_the_example_of_the_certificates_is_what_a_plan_claims() -> None:
    example = (DOCS / "certificates.md").read_text("utf-8").partition("## 8. Example")[2]
    snapshot, extract = (
        json.loads(text) for text in re.findall(r"```json\n(.*?)```", example, re.S)
    )
    group = equilag.load_snapshot(snapshot)
    plan = equilag.solve(group, effort=0.1, time_limit=10).to_dict()
    assert [
        one for one in extract["certificate"]["claims"] if one not in plan["certificate"]["claims"]
    ] == []
    assert plan["assignment"] == extract["assignment"]
    costly = equilag.solve(group, move_cost=10, tolerance=0, effort=0.1, time_limit=10)
    claims = {claim.claim: (claim.value, claim.kind) for claim in costly.claims}
    assert (len(costly.moves), costly.lag.spread) == (1, 45)
    assert claims["spread_at_least"] == (35, "search")
    assert claims["cost_at_least"] == (55, "search")


@pytest.mark.parametrize("page", PAGES)
def test_tests_benchmarks_and_samples_that_a_page_names_exist(page: str) -> None:
    named = re.findall(r"(?<![\w/-])(?:tests|benchmarks|samples)/[\w./-]*\w", PAGES[page])
    assert [name for name in named if not (CHECKOUT / name).exists()] == []


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_and_folders_that_are_named_exist(page: str) -> None:
    text = (CHECKOUT / page).read_text("utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[\w-]+(?:\.(?:py|md))?)?)`", text))
    folders = [path for path in CHECKOUT.glob("[a-z]*") if path.is_dir()]
    paths = [*folders, *(path for folder in folders for path in folder.rglob("*"))]
    known = {f"/{path.relative_to(CHECKOUT).as_posix()}" for path in paths}
    known |= {path.removesuffix(".py") for path in known}
    ends = {f"/{name.rstrip('/')}" for name in named}
    assert len(ends) > 20
    assert {end for end in ends if not any(path.endswith(end) for path in known)} == set()


MAX_BYTES: Final = 300_000
"""Of a picture, for readers on a slow line."""


def test_every_picture_is_small_and_shown() -> None:
    pictures = {path.name: path.stat().st_size for path in (DOCS / "pictures").iterdir()}
    assert {shot.name for shot in SCREENSHOTS} < pictures.keys()
    assert max(pictures.values()) < MAX_BYTES
    text = "".join(PAGES.values())
    assert [name for name in sorted(pictures) if f"pictures/{name}" not in text] == []

"""Writes the lists of options in docs/reference.md from their declarations: `make reference`.

A list stands between two comments, of which the first says what is in it:

- `settings: goals moves`: the settings of a policy of these families; with `not`, of the others;
- `options of plan: --out --check`: these options of a command;
- `options of plan`: the options of a command that no other list has with the same help. Those that
  differ from such a list in their default alone share one line.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, get_args

from equilag.cli.arguments.options import parsers_of
from equilag.cli.parser import build_parser
from equilag.domain.policy.policy import SETTINGS
from equilag.domain.policy.setting import COMMANDS, Family, OneOfNames, Setting

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "reference.md"
DEFAULT: Final = re.compile(r" \(default: (.*)\)$")
LIST: Final = re.compile(
    r"(<!--(settings|options of [a-z ]+?)(?:: ([a-z -]+))?-->\n).*?(<!--end-->\n)",
    re.DOTALL,
)


FAMILIES: Final[tuple[Family, ...]] = get_args(Family)


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command, such as `equilag fleet show`, and `equilag` itself."""
    return {parser.prog: parser for parser in parsers_of(build_parser())}


def with_lists(page: str) -> str:
    """The page with its lists as declared."""
    options = {name: _options(parser) for name, parser in commands().items()}
    shared = set[tuple[str, str]]()
    for _, kind, names, _ in LIST.findall(page):
        of = options[_command(kind)]
        shared |= {(name, of[name][1]) for name in _named(kind, names)}

    def renewed(found: re.Match[str]) -> str:
        begin, kind, names, end = found.groups()
        if kind == "settings":
            lines = [_setting_line(one) for one in _of_families(names)]
        elif names:
            lines = [_line(*options[_command(kind)][name]) for name in _named(kind, names)]
        else:
            lines = _own_lines(options[_command(kind)], shared)
        return "".join([begin, *lines, end])

    return LIST.sub(renewed, page)


def _own_lines(own: dict[str, tuple[str, str]], shared: set[tuple[str, str]]) -> list[str]:
    """The lines of the options that are not shared; other defaults of shared ones are the last."""
    stems = {(name, DEFAULT.sub("", text)) for name, text in shared}
    lines, others = list[str](), list[str]()
    for name, (option, text) in own.items():
        default = DEFAULT.search(text)
        if (name, text) in shared:
            continue
        if default and (name, DEFAULT.sub("", text)) in stems:
            others.append(f"`{name}` {_marked(default[1])}")
        else:
            lines.append(_line(option, text))
    return [*lines, *([f"- Other defaults: {', '.join(others)}\n"] if others else [])]


def _line(option: str, text: str) -> str:
    return f"- `{option}`: {_marked(text)}\n"


def _command(kind: str) -> str:
    return "equilag plan" if kind == "settings" else kind.replace("options of", "equilag")


def _named(kind: str, names: str | None) -> list[str]:
    """The options that a list names itself."""
    if kind == "settings":
        return [one.option for one in _of_families(names)]
    return (names or "").split()


def _options(parser: argparse.ArgumentParser) -> dict[str, tuple[str, str]]:
    """Option -> the option with its value, and its help."""
    return {
        action.option_strings[-1]: (
            f"{action.option_strings[-1]} {_value(action)}".strip(),
            str(action.help),
        )
        for action in parser._actions
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
    }


def _value(action: argparse.Action) -> str:
    value = str(action.metavar or "")
    return f"[{value}]" if action.nargs == "?" else value


def _marked(text: str) -> str:
    """The text with options and quoted values as code."""
    option = r"--[a-z-]+(?: (?:'[^']+'|[A-Z]\b|json\b|--[a-z-]+))*"
    return re.sub(rf"(?<!\S)({option}|'[^' ]+')", r"`\1`", text)


def _of_families(families: str | None) -> list[Setting]:
    first, *wanted = (families or "").split()
    inside = [first, *wanted] if first != "not" else [f for f in FAMILIES if f not in wanted]
    return [one for one in SETTINGS.values() if one.family in inside and one.name != "name"]


def _setting_line(declared: Setting) -> str:
    option = f"{declared.option} {declared.metavar}".strip()
    default = _default(declared)
    words = f" (default: {default})" if default else ""
    return f"- `{option}`, `{declared.name}`: {_meaning(declared)}{words}\n"


def _meaning(declared: Setting) -> str:
    text = _marked(declared.help)
    if isinstance(declared.form, OneOfNames):
        for name in declared.form.names:
            text = re.sub(rf"(?<![\w-]){name}(?=[:;)]|$)", f"`{name}`", text)
    left_out = [f"`{name}`" for name in COMMANDS if name not in declared.commands]
    return f"{text}; not for {', '.join(left_out)}" if left_out else text


def _default(declared: Setting) -> str:
    if declared.default_words or declared.default in (None, ()):
        return declared.default_words
    return f"{declared.default:g}" if declared.default is not False else ""


def main() -> None:
    PAGE.write_text(with_lists(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()

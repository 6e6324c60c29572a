"""The pages of docs/guide, and the README of the project: their blocks, and what these promise to print."""

import re
from dataclasses import dataclass
from pathlib import Path

from support.service import ROOT

FOLDER = ROOT / "docs" / "guide"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Output follows the command in a shell, and stands behind the statement elsewhere.
PROMISE = {
    "sh": re.compile(r"^# (.*)$", re.MULTILINE),
    "js": re.compile(r"console\.log\(.*// (.*)$", re.MULTILINE),
    "python": re.compile(r"\bprint\(.*  # (.*)$", re.MULTILINE),
}
# Blocks that are no part of a program: commands of the operator, files, and pictures.
SHOWN = {"bash", "toml", "mermaid"}


@dataclass(frozen=True)
class Page:
    """A page, with its blocks in order."""

    name: str
    text: str
    blocks: list[tuple[str, str]]

    def program(self, language: str) -> str:
        """Returns all blocks of a language as one program."""
        return "\n".join(code for kind, code in self.blocks if kind == language)

    def output(self, language: str) -> "re.Pattern[str]":
        """Returns a pattern of what the program prints; `…` in the page stands for anything."""
        lines = PROMISE[language].findall(self.program(language))
        anything = re.escape("…")
        return re.compile("".join(re.escape(line).replace(anything, ".+") + "\n" for line in lines))


def page(name: str, path: Path) -> Page:
    text = path.read_text()
    return Page(name, text, BLOCK.findall(text))


GUIDE = {path.stem: page(path.stem, path) for path in sorted(FOLDER.glob("*.md"))}
README = page("project", ROOT / "README.md")

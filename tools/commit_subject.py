"""Check the subjects of commits: imperative, 13 to 72 characters, no final period.

`python tools/commit_subject.py FILE` checks the message that Git is about to record (`tools/hooks/commit-msg`);
`python tools/commit_subject.py --range main..HEAD` checks the commits of a range.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

SHORTEST, LONGEST = 13, 72
DATA = Path(__file__).with_name("language_rules.txt")
#: first words of a noun phrase
NOUN_PHRASES = {"a", "an", "the", "what", "how", "why", "more", "one", "all", "every", "some", "no", "its", "new"}
#: subjects that Git writes itself
OF_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ")


def imperatives() -> set[str]:
    """Return the imperatives that end like another form of a verb ("process", "embed", "bring")."""
    section = DATA.read_text(encoding="utf-8").split("\n[imperatives]\n")[1].split("\n\n")[0]
    return set(section.split())


def problems(subject: str) -> list[str]:
    """Return the problems of a subject, one sentence each."""
    if subject.startswith(OF_GIT):
        return []
    found = []
    if not SHORTEST <= len(subject) <= LONGEST:
        found.append(f"expected {SHORTEST} to {LONGEST} characters, found {len(subject)}")
    if subject.endswith((".", "!", ";", ",")):
        found.append("expected no punctuation at the end")
    if re.search(r"(^|\s)#\d+", subject):
        found.append("expected words instead of the number of an issue")
    text = re.sub(r"^[\w./*, -]+: +", "", subject)
    first = text.split(" ")[0].lower().rstrip(",;")
    if first in NOUN_PHRASES or (first.endswith(("s", "ed", "ing")) and first not in imperatives()):
        found.append(f"expected a verb in the imperative as first word ('add', 'fix'), found '{first}'")
    return found


def subjects(commits: str) -> list[str]:
    """Return the subjects of a range of commits, or of the last commit if the branch is new."""
    start = commits.split("..")[0]
    chosen = ["-1", commits.split("..")[-1]] if set(start) <= {"0"} else [commits]
    command = ["git", "log", "--no-merges", "--format=%s", *chosen]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def main(arguments: list[str] | None = None) -> int:
    """Print the problems and return 1 if there are any."""
    parser = argparse.ArgumentParser(description="Check the subjects of commits.")
    parser.add_argument("file", nargs="?", help="file with the message of one commit")
    parser.add_argument("--range", help="commits to check, such as main..HEAD")
    options = parser.parse_args(arguments)
    if (options.file is None) == (options.range is None):
        parser.error("expected the file of a message or --range")
    if options.range:
        checked = subjects(options.range)
    else:
        checked = Path(options.file).read_text(encoding="utf-8").splitlines()[:1]
    wrong = [(subject, problem) for subject in checked for problem in problems(subject)]
    for subject, problem in wrong:
        print(f"'{subject}': {problem}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

"""The optimizer on models that are already in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import robosym as rs
from robosym.cli.common import LanguageOption, OutputOption, SelectOption, progress

__all__ = ["optimize"]


def optimize(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A listing, Fortran, Mathematica or Maple model.")],
    level: Annotated[str, typer.Option(help="0, 1, 2, 3 or max.")] = "1",
    output: OutputOption = None,
    language: LanguageOption = None,
    select: SelectOption = None,
) -> None:
    """Read a model from a file, choose outputs, reduce its operations, write it in any language."""
    model = rs.read_model(file)
    model = model.select(*select) if select else model
    with progress(f"optimising {file.name}") as tell:
        before = model.operations
        model = rs.optimize(model, int(level) if level.isdigit() else level, progress=tell)
    typer.echo(f"before: {before}\nafter:  {model.operations}", err=True)
    if output is None:
        typer.echo(model.code(language or "listing"), nl=False)
    else:
        typer.echo(f"wrote {', '.join(map(str, model.write(output, language)))}", err=True)

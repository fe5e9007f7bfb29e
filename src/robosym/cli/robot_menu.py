"""Menu Robot: the library, a robot's parameters, other formats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import robosym as rs
from robosym.cli.common import RobotArgument
from robosym.description import DRIVE, GEOMETRY, INERTIA

__all__ = ["convert", "list_robots", "show"]


def list_robots() -> None:
    """The robots of the library."""
    table = Table("name", "robot", "joints", "structure", box=None, pad_edge=False)
    for name in rs.library():
        robot = rs.load(name)
        table.add_row(name, robot.title, str(len(robot.tree_joints)), robot.structure)
    Console().print(table)


def _table(console: Console, title: str, names: Sequence[str], parts: Sequence[object]) -> None:
    table = Table("j", *names, box=None, pad_edge=False)
    for j, part in enumerate(parts, 1):
        table.add_row(str(j), *(str(getattr(part, name)) for name in names))
    console.print(f"\n[bold]{title}[/bold]")
    console.print(table)


def show(robot: RobotArgument) -> None:
    """The parameters of a robot."""
    r = rs.load(robot)
    console = Console(highlight=False)
    console.print(f"[bold]{r.name}[/bold]  {r.title}")
    console.print(f"{r.structure} structure, {r.NL} links, {r.NJ} joints, {r.NF} frames, {r.base.kind} base")
    _table(console, "Geometry", ("ant", "sigma", "mu", *GEOMETRY), r.frames)
    _table(console, "Inertia at the frame's origin", INERTIA, r.links)
    _table(console, "Rotor inertia and friction", DRIVE, r.links)
    if any(joint.eta for joint in r.joints):
        _table(console, "Elasticity", ("eta", "k"), r.joints)
    console.print(f"\ngravity: {', '.join(map(str, r.gravity))}")
    if r.loops:
        console.print("loops: " + ", ".join(f"frame {k} on frame {fixed}" for k, fixed in r.loops))
    if r.source:
        console.print(f"\n[dim]{r.source.strip()}[/dim]")


def convert(robot: RobotArgument, output: Annotated[Path, typer.Argument(help="A .par or .yaml file.")]) -> None:
    """Write a robot's description in another format."""
    rs.load(robot).write(output)
    typer.echo(f"wrote {output}", err=True)

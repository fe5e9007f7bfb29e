"""Scene as an interactive page: one self-contained HTML file, with the SVG as a fallback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from robosym.drawing.convex import convex_of
from robosym.drawing.marks import marked_frames, named_joints
from robosym.drawing.mechanism_data import mechanism_data
from robosym.drawing.parts import AMBIENT, DIFFUSE, LIGHT_FROM, Theme, hexadecimal, rgb
from robosym.drawing.view import SceneView, level, spacing
from robosym.safe_text import markup

__all__ = ["as_json", "page_text", "script_text", "stage_data", "start_of_view", "theme_data"]

_STYLE = """
.robosym-view{{position:relative;width:100%;height:100%;min-height:200px;color:#{text};font:13px/20px Inter,system-ui,
-apple-system,"Segoe UI",Roboto,sans-serif;background:linear-gradient(#{above},#{below});display:flex;
flex-direction:column;overflow:hidden}}
.robosym-view .stage{{position:relative;flex:1;min-height:0}}
.robosym-view canvas{{position:absolute;inset:0;width:100%;height:100%}}
.robosym-view canvas.names{{touch-action:none;cursor:grab;outline-offset:-2px}}
.robosym-view canvas.names:active{{cursor:grabbing}}
.robosym-view .still-picture{{position:absolute;inset:0;text-align:center}}
.robosym-view .still-picture svg{{width:100%;height:100%}}
.robosym-view.turns .still-picture,.robosym-view:not(.turns) canvas,.robosym-view:not(.turns) nav{{display:none}}
.robosym-view nav{{position:absolute;left:12px;top:10px;display:flex;gap:4px}}
.robosym-view button{{font:inherit;color:#{quiet};background:#{above};border:1px solid #{grid};border-radius:6px;
padding:2px 9px;cursor:pointer}}
.robosym-view button[aria-pressed=true]{{color:#{chosen};border-color:#{chosen}}}
.robosym-view .joints{{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:2px 20px;
padding:8px 14px;border-top:1px solid #{grid};max-height:34%;overflow:auto}}
.robosym-view .joints label{{display:flex;align-items:center;gap:8px;white-space:nowrap}}
.robosym-view .joints input{{flex:1;min-width:60px;accent-color:#{chosen}}}
.robosym-view .player{{grid-template-columns:1fr}}
.robosym-view output{{width:62px;text-align:right;font-variant-numeric:tabular-nums;color:#{quiet}}}
"""


def page_text(
    seen: SceneView, theme: Theme, still: str, shown: Mapping[str, bool], select: int | None,
    motion: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """Return the page; `still` is the SVG, `motion` contains times and poses of an animation."""
    title = markup(seen.scene.title or seen.scene.name)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<style>html,body{margin:0;height:100%}</style></head>\n<body>"
        f"{_view(seen, theme, still, shown, select, motion)}</body></html>\n"
    )


def _view(
    seen: SceneView, theme: Theme, still: str, shown: Mapping[str, bool], select: int | None,
    motion: Mapping[str, Any] | None,
) -> str:  # fmt: skip
    above, below = theme.ground
    style = _STYLE.format(
        text=theme.text, quiet=theme.quiet, grid=theme.grid, chosen=theme.chosen, above=above, below=below
    )
    buttons = "".join(
        f'<button type="button" data-show="{name}">{name.capitalize()}</button>' for name in ("names", "axes", "frames")
    )
    own = stage_data(seen) | {"select": select, "theme": theme_data(theme), "motion": motion}
    script = script_text("kinematics.js", "view.js", "viewer.js")
    script = script.replace("/*SCENE*/null", as_json(own)).replace("/*START*/null", as_json(start_of_view(seen, shown)))
    name = markup(seen.scene.name)
    hands = _sliders(seen) if motion is None else _player(motion)
    return (
        f'<style>{style}</style><div class="robosym-view"><div class="stage"><canvas class="floor"></canvas>'
        f'<canvas class="solids"></canvas><canvas class="names" tabindex="0" role="img" aria-label="{name}"></canvas>'
        f'<div class="still-picture">{still}</div><nav>{buttons}</nav></div>{hands}'
        f"<script>{script}</script></div>"
    )


def script_text(*names: str) -> str:
    """Return scripts of this package, one after the other."""
    folder = files("robosym.drawing")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def as_json(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def theme_data(theme: Theme) -> dict[str, Any]:
    """Return the colors of a picture as plain data."""
    cast = rgb(theme.ground[1]) * (1 - theme.shadow) + rgb("161B25") * theme.shadow
    return {
        "tones": theme.tones, "chosen": theme.chosen, "x": theme.x, "y": theme.y, "z": theme.z, "text": theme.text,
        "quiet": theme.quiet, "grid": theme.grid, "ground": theme.ground, "error": theme.error,
        "cast": hexadecimal(cast)[1:], "ambient": AMBIENT, "diffuse": DIFFUSE, "light": LIGHT_FROM.tolist(),
    }  # fmt: skip


def stage_data(seen: SceneView) -> dict[str, Any]:
    """Return the scene as plain data for interactive pages: also its mechanism, rims of plates, names, and the grid."""
    scene = seen.scene
    data = scene.data()
    e1, e2, _ = level(seen)
    flat = scene.poses[:, :3, 3] @ np.array([e1, e2]).T
    step = spacing(scene.reach)
    for entry, solid in zip(data["solids"], scene.solids, strict=True):
        body = convex_of(solid, scene.poses) if solid.kind == "plate" else None
        if body is not None:  # rim in the frame of the first corner
            T = scene.poses[solid.spots[0].frame]
            rim = (body.rings[0] + body.rings[1]) / 2
            entry["rim"] = ((rim - T[:3, 3]) @ T[:3, :3]).tolist()
            entry["normal"] = (body.normals[0] @ T[:3, :3]).tolist()
    return data | {
        "mechanism": mechanism_data(scene.numeric),
        "marked": marked_frames(scene),
        "names": [{"text": text, "spot": {"frame": s.frame, "at": s.at}} for text, s in named_joints(scene, True)],
        "spacing": step,
        "middle": (np.round(flat.mean(axis=0) / step) * step).tolist(),
    }


def start_of_view(seen: SceneView, shown: Mapping[str, bool]) -> dict[str, Any]:
    """Return the initial view: angles in degrees, center, and pixels per meter."""
    view, up = seen.view, np.array(seen.scene.up)
    e1, e2, _ = level(seen)
    ahead = view.toward - (view.toward @ up) * up if abs(view.toward @ up) < 0.999 else -view.above * (view.toward @ up)
    return {
        "azimuth": float(np.degrees(np.arctan2(ahead @ e2, ahead @ e1))),
        "elevation": float(np.degrees(np.arcsin(np.clip(view.toward @ up, -1, 1)))),
        "center": view.center.tolist(),
        "scale": view.scale,
        "width": view.width,
        "height": view.height,
        "shown": dict(shown),
    }


def _player(motion: Mapping[str, Any]) -> str:
    """Return a play button and a slider over time."""
    return (
        f'<div class="joints player"><label>{markup(motion["title"])}<button type="button" data-play>Pause</button>'
        f'<input type="range" min="0" max="{motion["t"][-1]}" step="any" value="0" data-time aria-label="time">'
        "<output data-time></output></label></div>"
    )


def _sliders(seen: SceneView) -> str:
    """Return a slider per independent joint; the others follow."""
    scene, robot = seen.scene, seen.scene.robot
    rows = []
    for j in scene.numeric.movable:
        variable, slides = robot.variable(j), scene.numeric.slides(j)
        value = scene.joints[variable]
        low, high = scene.numeric.range_of(j, value, scene.reach)
        key, name = markup(variable), markup(robot.joint(j).name or variable)
        rows.append(
            f'<label>{name}<input type="range" min="{low:.4f}" max="{high:.4f}" step="0.001" '
            f'value="{value:.4f}" data-joint="{key}"{" data-slides=1" if slides else ""}>'
            f'<output data-joint="{key}"></output></label>'
        )
    return f'<div class="joints">{"".join(rows)}</div>' if rows else ""

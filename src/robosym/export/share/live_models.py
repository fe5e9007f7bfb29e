"""Models that run in a page beside the picture of a robot: each input is read from the picture or from a field."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from robosym.drawing.posture import Posture
from robosym.errors import InputError
from robosym.export.processors.wasm import wasm_script
from robosym.export.robot_functions import FunctionRequest, Part, Solved, built_functions, model_of
from robosym.export.symbol_units import parameter_units
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import frame_matrix
from robosym.model import Model, flat
from robosym.model.groups import GROUPS

__all__ = ["LiveModels", "live_models", "models_of_picture", "picture_data"]

#: functions of a page by default
USUAL = ("inverse_dynamics", "jacobian", "inverse_geometry", "inertia_matrix")
_RATES = {"qd": 1, "qdd": 2}  #: groups of joint rates, and their order
_TWISTS = {"twist": 1, "acceleration": 2}
_STANDING = {"base_orientation": (1.0, 0.0, 0.0, 0.0)}  #: groups whose entries are not zero at rest
_FIELDS = {"parameters": 1.0, "wrench": 0.0}  #: groups that the reader of the page may change, and their first numbers


@dataclass(frozen=True)
class LiveModels:
    """Models and the sources of their inputs.

    A source is a number, or {"joint": variable}, {"pose": [frame, entry, carrier, place]}, {"rate": order, "joint":
    variable}, {"rate": order, "twist": [frame, entry, carrier, place]}, {"field": name}. Frames are those of the
    picture; poses and twists are relative to a place (twelve numbers) on the frame `carrier`.
    """

    models: dict[str, Part]
    sources: dict[str, list[list[Any]]]  #: by model: one list per group
    fields: dict[str, dict[str, Any]]  #: first value and unit by symbol

    def data(self) -> dict[str, Any]:
        """Return names, sources and units as plain data."""
        found = {}
        for name, part in self.models.items():
            model = model_of(part)
            outputs = [
                {"name": group, "names": list(flat(rows)), "size": _size(rows), "meaning": model.meaning(group, True)}
                for group, rows in model.outputs.items()
            ]
            found[name] = {"title": model.title, "inputs": self.sources[name], "outputs": outputs}
            if isinstance(part, Solved):
                joints = [str(entry).rpartition("_")[0] for entry in model.outputs["solutions"][0]]
                found[name] |= {"outputs": [], "joints": joints}
        return {"models": found, "fields": self.fields}

    def script(self, name: str) -> str:
        """Return a JavaScript expression: a promise of the functions."""
        return wasm_script(name, self.models)


def live_models(
    robot: Robot, posture: Posture, names: str | Mapping[str, Model] = "", frame: int | str | None = None,
    more: Mapping[str, Model] = MappingProxyType({}),
) -> LiveModels:  # fmt: skip
    """Return the models of a robot whose inputs the picture or fields can provide, by default those it supports.

    `posture` is the picture of the same robot; its numbers replace the symbols of the geometry. `more` are further
    models by name.
    """
    numeric = robot.with_values(posture.values) if posture.values else robot
    if robot.modules:  # models of platforms take their branches of legs from the reference position
        own = {name for name in numeric.variables if name}
        numeric = replace(numeric, position={name: value for name, value in posture.joints.items() if name in own})
    request = FunctionRequest(numeric, frame)
    given = _functions(request, names) | (built_functions(request, more) if more else {})
    models, sources, fields = {}, {}, dict[str, dict[str, Any]]()
    units = parameter_units(numeric)
    for name, part in given.items():
        model = model_of(part)
        found = [_sources(numeric, posture, group, entries, fields, units) for group, entries in model.inputs.items()]
        models[name], sources[name] = part, found
    return LiveModels(models, sources, fields)


def models_of_picture(
    robot: Robot, joints: Mapping[str, float], values: Mapping[str, float], watched: Mapping[str, bytes]
) -> dict[str, Any]:
    """Return the models of a drawn robot, and others as pickles by name, as plain data with their script."""
    posture = Posture(robot, joints, values)
    posture.values = {symbol.name: symbol.value for symbol in posture.symbols}
    made = live_models(robot, posture, more={name: pickle.loads(kept) for name, kept in watched.items()})
    script = made.script(robot.name) if made.models else "Promise.resolve({})"
    return {**made.data(), **picture_data(posture), "chosen": {}, "script": script}


def picture_data(posture: Posture) -> dict[str, Any]:
    """Return what the values of a page refer to: sliders, the frame that is moved, and labels of frames."""
    return {
        "sliders": [asdict(slider) for slider in posture.sliders],
        "frame": posture.frame,
        "labels": posture.frames.labels,
        "name": posture.robot.name,
    }


def _functions(request: FunctionRequest, names: str | Mapping[str, Model]) -> dict[str, Part]:
    """Return the functions of these names, by default those that the robot supports."""
    if names:
        return built_functions(request, names)
    try:
        given = built_functions(request, "", USUAL)
    except InputError:
        return {}
    solves = "inverse_geometry"  # the motors of a platform follow from the picture
    return {name: part for name, part in given.items() if name != solves or isinstance(part, Solved)}


def _size(rows: Any) -> list[int]:
    return [len(rows), len(rows[0])] if rows and not isinstance(rows[0], str) else [len(rows)]


def _sources(
    robot: Robot, posture: Posture, group: str, names: tuple[str, ...], fields: dict[str, dict[str, Any]],
    units: Mapping[str, str],
) -> list[Any]:  # fmt: skip
    """Return the source of each entry of a group."""
    known = set(posture.numeric.closing.gaps.names)
    if group in ("q", "q_cut") and known >= set(names):
        return [{"joint": name} for name in names]
    if group in _RATES:
        places = {
            getattr(robot.joint(j), ("QP", "QDP")[_RATES[group] - 1]): robot.variable(j) for j in robot.tree_joints
        }
        own = {str(symbol): variable for symbol, variable in places.items()}
        if own.keys() >= set(names) and known >= {own[name] for name in names}:
            return [{"rate": _RATES[group], "joint": own[name]} for name in names]
    if group == "T" and len(names) == 16:
        return [0.0] * 16  # a pose is given by the call
    if group == "pose" or group in _TWISTS:
        width = 12 if group == "pose" else 6
        frames = _platforms(robot, posture)
        if len(names) == width * len(frames):
            found: list[Any] = []
            for k in range(len(names)):
                frame, carrier, place = frames[k // width]
                what = [frame, k % width, carrier, place]
                found.append({"pose": what} if group == "pose" else {"rate": _TWISTS[group], "twist": what})
            return found
    if group in _STANDING and len(names) <= len(_STANDING[group]):
        return list(_STANDING[group][: len(names)])
    if group == "gravity":
        up = dict(zip(map(str, robot.gravity), posture.scene.up, strict=True))
        return [_field(fields, name, -9.81 * (up.get(name) or 1.0), "m/s2") for name in names]
    if group in _FIELDS:
        first = _FIELDS[group]
        return [_field(fields, name, posture.values.get(name, first), units.get(name, "")) for name in names]
    if group in GROUPS and not GROUPS[group].online:
        return [_field(fields, name, 1.0, units.get(name, "")) for name in names]
    return [_field(fields, name, 0.0, units.get(name, "")) for name in names]


def _field(fields: dict[str, dict[str, Any]], name: str, value: float, unit: str) -> dict[str, str]:
    fields.setdefault(name, {"value": value, "unit": unit.replace(".", " ").replace("2", "\N{SUPERSCRIPT TWO}")})
    return {"field": name}


def _platforms(robot: Robot, posture: Posture) -> list[tuple[int, int, list[float]]]:
    """Return the frame of each platform in the picture, the frame that carries its module, and the place there."""
    places = {0: 0} | {row: j for j, row in posture.frames.rows.items()}
    found = []
    for module in robot.modules:
        if not module.stations:
            continue
        base = robot.frame(module.place) if module.place else None
        end, carrier = places.get(module.end), places.get(base.ant if base else 0)
        if end is None or carrier is None:
            raise InputError(f"{robot.name}: frame {module.end} of a platform is not in the picture")
        place = frame_matrix(base, {}) if base else np.eye(4)
        found.append((end, carrier, [float(x) for x in place[:3].ravel()]))
    return found

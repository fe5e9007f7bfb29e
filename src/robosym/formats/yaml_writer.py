"""Writer of the native YAML format; defaults are omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from robosym.algebra import Expr
from robosym.formats.par_writer import checked_name, entry_text
from robosym.mechanism import (
    BASE_MOTION,
    DRIVE,
    FLOATING,
    GEOMETRY,
    INERTIA,
    MOTION,
    WRENCH,
    Contact,
    Coupling,
    Frame,
    Joint,
    JointFriction,
    Limits,
    Link,
    Robot,
)
from robosym.mechanism.central_inertia import stored_central
from robosym.mechanism.friction import OWN_PLACE

__all__ = [
    "block", "frame_text", "heading", "lengths", "link_fields", "mapping_text", "position_lines", "vector_text",
    "wrench_text", "write_robot",
]  # fmt: skip

_WIDTH = 110
_IDENTITY = ["1" if row == column else "0" for row in range(4) for column in range(4)]
_PLAIN_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_PLAIN = _PLAIN_START | frozenset(" ().+-/*^=;")


def heading(robot: Robot) -> list[str]:
    """Return the lines of name, title and source."""
    lines = [f"name: {_quoted(checked_name(robot))}"]
    if robot.title:
        lines.append(f"title: {_quoted(robot.title)}")
    if robot.source:
        lines += _source(robot.source)
    return lines


def write_robot(robot: Robot) -> str:
    lines = [*heading(robot), "frames:", *(f"  - {frame_text(robot, j)}" for j in range(1, robot.NF + 1))]
    if robot.loops:
        lines.append(f"loops: [{', '.join(f'[{cut}, {fixed}]' for cut, fixed in robot.loops)}]")
    lines += _links(robot)
    wrenches = {0: robot.base.link} if robot.base.link else {}
    wrenches |= dict(enumerate(robot.links, 1))
    lines += block("wrench", {j: _list(link, WRENCH) for j, link in wrenches.items() if not _is_zero(link, WRENCH)})
    lines += _motion(robot)
    lines.append(f"gravity: {vector_text(robot.gravity)}")
    lines += _base(robot)
    lines += position_lines(robot)
    if robot.couplings:
        texts = {name: _quoted(_relation(coupling)) for name, coupling in robot.couplings.items()}
        lines.append(f"couplings: {mapping_text(texts)}")
    if robot.contacts:
        lines += ["contacts:", *(f"  - {mapping_text(_contact(contact))}" for contact in robot.contacts)]
    return "\n".join(lines) + "\n"


def _contact(contact: Contact) -> dict[str, str]:
    """Return the keys of a contact."""
    name = {"name": _quoted(contact.name)} if contact.name else {}
    keys = {"frame": str(contact.frame), "type": contact.kind, **name}
    keys |= {} if all(value.is_zero for value in contact.at) else {"at": vector_text(contact.at)}
    keys |= {"radius": _entry(contact.radius)} if contact.rolls else {}
    return keys | ({"angle": _entry(contact.angle)} if contact.kind == "roller" else {})


def _relation(coupling: Coupling) -> str:
    terms = [f"({ratio!r})*{name}" for name, ratio in coupling.ratios.items()]
    return " + ".join([*terms, f"({coupling.offset!r})"] if coupling.offset else terms)


def position_lines(robot: Robot, pose: Sequence[float] | None = None) -> list[str]:
    """Return the lines of the reference position (of a platform as a pose) and of the numbers for drawings."""
    position = {name: repr(value) for name, value in robot.position.items()}
    if pose is not None:
        position = {"pose": f"[{', '.join(map(repr, pose))}]", **position}
    picture = {name: repr(value) for name, value in robot.picture.items()}
    items = {key: mapping_text(given) for key, given in (("position", position), ("picture", picture)) if given}
    return [f"{key}: {text}" for key, text in items.items()]


def lengths(frame: Frame) -> dict[str, str]:
    """Return the nonzero geometric parameters of a frame."""
    return {key: _entry(getattr(frame, key)) for key in GEOMETRY if not getattr(frame, key).is_zero}


# --------------------------------------------------------------------- entries


def _entry(value: Expr | int) -> str:
    text = entry_text(value, "an entry")
    return f'"{text}"' if "," in text else text  # a comma would end the entry of a flow mapping


def vector_text(values: Sequence[Expr | int]) -> str:
    return f"[{', '.join(_entry(value) for value in values)}]"


def mapping_text(items: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {text}" for key, text in items.items()) + "}"


def _list(link: Link, names: Sequence[str]) -> str:
    return vector_text([getattr(link, name) for name in names])


def _is_zero(link: Link, names: Sequence[str]) -> bool:
    return all(getattr(link, name).is_zero for name in names)


def block(title: str, items: Mapping[int, str]) -> list[str]:
    """Return a mapping by number, one entry per line, aligned."""
    width = max((len(str(j)) for j in items), default=0) + 1
    return [f"{title}:", *(f"  {f'{j}:'.ljust(width)} {text}" for j, text in items.items())] if items else []


# ----------------------------------------------------------------------- parts


def _names(robot: Robot, j: int) -> dict[str, str]:
    names = [_quoted(name) for name in robot.names_of(j)]
    return {"name": names[0] if len(names) == 1 else f"[{', '.join(names)}]"} if names else {}


def _limits(limits: Limits) -> str:
    items = {}
    if limits.lower is not None or limits.upper is not None:
        lower, upper = (None if end is None else repr(end) for end in (limits.lower, limits.upper))
        items["position"] = f"[{lower or '-inf'}, {upper or 'inf'}]"
    bounds = {key: getattr(limits, key) for key in ("velocity", "acceleration", "effort")}
    return mapping_text(items | {key: repr(value) for key, value in bounds.items() if value is not None})


def frame_text(robot: Robot, j: int, before: int | None = None) -> str:
    """Return the entry of a frame, without its antecedent if that is `before`, the previous frame."""
    frame, items = robot.frame(j), _names(robot, j)
    if j <= robot.NJ and robot.joint(j).name:
        items["joint"] = _quoted(robot.joint(j).name)
    if frame.ant != (j - 1 if before is None else before):
        items["ant"] = str(frame.ant)
    if frame.sigma:
        items["sigma"] = str(frame.sigma)
    if frame.pitch:
        items["pitch"] = repr(frame.pitch)
    if frame.mu != int(frame.is_joint):
        items["mu"] = str(frame.mu)
    items |= lengths(frame)
    follows = robot.joint(j).follows if j <= robot.NJ else None
    if follows is not None:
        items["follows"] = f"[{_quoted(follows.joint)}, {follows.ratio!r}, {follows.offset!r}]"
    if j <= robot.NJ and robot.joint(j).limits:
        items["limits"] = _limits(robot.joint(j).limits)
    return mapping_text(items)


def _links(robot: Robot) -> list[str]:
    rigid = not any(
        joint.eta or not joint.k.is_zero or joint.rest is not None or joint.friction for joint in robot.joints
    )
    if rigid and all(_is_symbolic(link, j, (*INERTIA, *DRIVE)) for j, link in enumerate(robot.links, 1)):
        return ["links: symbolic"]
    fields = {
        j: link_fields(robot.link(j) if j <= robot.NL else None, joint) for j, joint in enumerate(robot.joints, 1)
    }
    return block("links", {j: mapping_text(items) for j, items in fields.items() if items})


def wrench_text(link: Link) -> dict[str, str]:
    """Return the entry of a link's wrench, if it is not zero."""
    return {} if _is_zero(link, WRENCH) else {"wrench": _list(link, WRENCH)}


def _is_symbolic(link: Link, j: int, names: Sequence[str]) -> bool:
    return all(getattr(link, name).name == f"{name}{j}" for name in names)


def link_fields(link: Link | None, joint: Joint | None = None) -> dict[str, str]:
    """Return the nonzero fields of a link and its joint, without the wrench; a cut joint has no link."""
    items: dict[str, str] = {}
    if link is not None:
        central = stored_central(link)
        names = (*INERTIA, *DRIVE) if central is None else ("M", *DRIVE)
        items = {name: _entry(getattr(link, name)) for name in names if not getattr(link, name).is_zero}
        values_at_com = {} if central is None else {"com": central.com, "inertia": central.inertia}
        items |= {key: vector_text(values) for key, values in values_at_com.items() if not _zeros(values)}
    if joint is not None and joint.eta:
        items["eta"] = str(joint.eta)
    if joint is not None and not joint.k.is_zero:
        items["k"] = _entry(joint.k)
    if joint is not None and joint.rest is not None:
        items["rest"] = _entry(joint.rest)
    if joint is not None and joint.friction:
        items |= {name: _entry(value) for name, value in joint.friction.values if name in OWN_PLACE}
        more = _friction(joint.friction)
        items |= {"friction": more} if more != "{}" else {}
    return items


def _friction(friction: JointFriction) -> str:
    own = dict(friction.own)
    speeds = {"smooth": friction.smooth or None, "stribeck": friction.stribeck}
    items = {key: repr(speed) for key, speed in speeds.items() if speed is not None}
    for name, value in friction.values:
        if name in OWN_PLACE:  # of a cut joint: listed next to friction, like those of a link
            continue
        items[name] = f"[{_entry(value)}, {_quoted(own[name])}]" if name in own else _entry(value)
    return mapping_text(items)


def _motion(robot: Robot) -> list[str]:
    def is_default(key: str, j: int, value: Expr) -> bool:
        if key != "GAM" and not robot.frame(j).is_joint:
            return value.is_zero
        return value.name == f"{key}{j}"

    lines = []
    for key in MOTION:
        values = [getattr(joint, key) for joint in robot.joints]
        if not all(is_default(key, j, value) for j, value in enumerate(values, 1)):
            lines.append(f"  {key}: {vector_text(values)}")
    return ["motion:", *lines] if lines else []


def _base(robot: Robot) -> list[str]:
    base = robot.base
    lines = [f"  {key}: {text}" for key, text in _names(robot, 0).items()]
    lines += [] if base.kind == "fixed" else [f"  type: {base.kind}"]
    if [entry_text(value, "Z") for value in base.Z] != _IDENTITY:
        lines.append(f"  Z: {vector_text(base.Z)}")
    for key in BASE_MOTION:
        values = getattr(base, key)
        usual = FLOATING.get(key) if base.kind == "floating" else None
        at_default = (
            all(value.name == name for value, name in zip(values, usual, strict=True)) if usual else _zeros(values)
        )
        if base.kind == "mobile" or not at_default:
            lines.append(f"  {key}: {vector_text(values)}")
    if base.link is not None:
        symbolic = _is_symbolic(base.link, 0, INERTIA) and _is_zero(base.link, DRIVE)
        items = link_fields(base.link)
        if items:
            lines.append(f"  link: {'symbolic' if symbolic else mapping_text(items)}")
    return ["base:", *lines] if lines else []


def _zeros(values: Sequence[Expr]) -> bool:
    return all(value.is_zero for value in values)


# ------------------------------------------------------------------------ texts


def _source(text: str) -> list[str]:
    words = text.split()
    if " ".join(words) == text and text.isprintable():
        lines = wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
        return ["source: >-", *(f"  {line}" for line in lines)]
    return [f"source: {_quoted(text)}"]


def _quoted(text: str) -> str:
    """Return a text unquoted if YAML reads it so, else in double quotes."""
    if text and text[0] in _PLAIN_START and text[-1] != " " and set(text) <= _PLAIN:
        return text
    return f'"{"".join(_escaped(text))}"'


def _escaped(text: str) -> Iterator[str]:
    for character in text:
        code = ord(character)
        if character in '"\\':
            yield "\\" + character
        elif character.isprintable():
            yield character
        else:
            yield f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

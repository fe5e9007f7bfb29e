"""Every command by the menus of the guide. To add a model: its file, one row here, its test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from robosym.app.menus.command import Argument, Command, Option

__all__ = ["CODE", "COMMANDS", "MENUS"]

MENUS = ("Robot", "Geometric", "Kinematic", "Dynamic", "Identification", "Workbench", "Optimizer")


def _languages() -> Iterable[str]:
    """Found when they are wanted: a list of commands needs no language."""
    from robosym.languages import LANGUAGES

    return LANGUAGES


ROBOT = Argument(
    "robot", "robot", "A name of the library (see `robosym list`) or a file: .par, .yaml, .urdf, .xacro, .xml, .sdf."
)
FRAME_I = Argument("i", "frame", "The frame it is seen from; -1 is the world.")
FRAME_J = Argument("j", "frame", "The frame it is of.")
LINK = Argument("link", "frame", "The link whose velocity it gives.")
END = "default: the end of the arm, found by its name (tool0, flange, ..) or by the structure"
FRAME_I_OR_NONE, FRAME_J_OR_NONE, LINK_OR_NONE = (  #: what a robot with a platform does without
    replace(argument, optional=True, help=f"{argument.help[:-1]}; {default}; none of a robot with a platform.")
    for argument, default in ((FRAME_I, "default: 0"), (FRAME_J, END), (LINK, END))
)
TOOL = Option("tool", "pose", "The tool's frame seen from that frame: x,y,z,roll,pitch,yaw or 16 numbers.",
              needs="no platform")  # fmt: skip

OUTPUT = Option(
    "output", "file", "Write to this file; its extension chooses the language. Default: print.",
    short="-o", use="delivery", written=True,
)  # fmt: skip
LANGUAGE = Option(
    "language", "text", "One of: {choices}. Default: listing.",
    short="-l", choices=_languages, use="delivery",
)  # fmt: skip
SELECT = Option(
    "select",
    "texts",
    "Keep only these variables: a name or a prefix; may be repeated.",
    short="-s",
    use="method",
    label="Keep only",
)
SET = Option(
    "set", "texts", "A parameter or an entry of the robot: D3=0.45, link6.FX=F, gravity=[0,0,-9.81]; may be repeated.",
    metavar="NAME=VALUE", use="robot", label="Values of the robot",
)  # fmt: skip
ADD_FRAME = Option(
    "add_frame", "texts", "A frame fixed to another one, such as a TCP: tcp=tool0:x,y,z,roll,pitch,yaw; other commands "
    "of the line then take its name; may be repeated.", metavar="NAME=PARENT:POSE", use="robot", label="More frames",
)  # fmt: skip
XACRO = Option(
    "xacro", "texts", "An argument of a .xacro file: name=ur5e; may be repeated.", metavar="NAME=VALUE", use="robot",
    target="arguments", label="Arguments of xacro",
)  # fmt: skip
FLOATING = Option("floating", "flag", "Treat the root link as a floating base.", use="robot", label="Floating base")
INPUTS = Option(
    "inputs", "texts", "Keep as inputs of the function: gravity, orientation (of the base, a quaternion), payload or "
    "payload:LINK; may be repeated.", metavar="WHAT", use="robot", label="Kept as inputs",
)  # fmt: skip
LEVELS = ("0", "1", "2", "3", "max")
OPTIMIZE = Option(
    "optimize", "text", "Fewer operations: 0, 1, 2, 3 or max (which may take seconds).",
    metavar="LEVEL", choices=LEVELS, use="function",
)  # fmt: skip
GOAL = Option(
    "goal", "text", "What the optimizer makes small: operations, as SYMORO+ counts them, or speed, the time.",
    choices=("operations", "speed"), use="with", target="optimize",
)  # fmt: skip
BUDGET = Option(
    "budget",
    "quantity",
    "The optimizer begins nothing more after so long.",
    metavar="SECONDS",
    use="with",
    target="optimize",
)
DERIVATIVE = Option(
    "derivative",
    "texts",
    "Derivatives by these inputs instead: q, qd, ...; may be repeated.",
    use="method",
    label="Derivative by",
)
GRADIENT = Option(
    "gradient", "texts", "The gradient of a weighted sum of the outputs by these inputs instead; may be repeated.",
    use="method", label="Gradient by",
)  # fmt: skip
NAME = Option("name", "text", "Name of the function; default: the robot's name and the kind of model.", use="delivery")
#: options of a language (see `Language.options`); one that a language does not have is refused with those that it has
CODE = (
    Option(
        "init",
        "flag",
        "A function of its own computes what depends on parameters alone.",
        use="delivery",
        label="Initialize apart",
    ),
    Option("precision", "text", "Of numbers in C: double or single.", choices=("double", "single"), use="delivery"),
    NAME,
    Option("prefix", "text", "Text before the name of the function.", use="delivery"),
    Option(
        "no_tables",
        "flag",
        "A listing without the tables of the robot.",
        use="delivery",
        label="No tables in the listing",
    ),
)
AT = Option(
    "at", "texts", "Numbers instead: the outputs at q=0.1,0.2,.. (a group), D3=0.45 (an input) or the states of a .csv "
    "file; may be repeated. -o takes .csv or .json.", metavar="NAME=NUMBERS", use="evaluate",
)  # fmt: skip
#: what every command that gives a Model takes
MODEL = (OUTPUT, LANGUAGE, *CODE, DERIVATIVE, GRADIENT, SELECT, OPTIMIZE, GOAL, BUDGET, AT)

TREE = Option(
    "tree",
    "flag",
    "A closed robot: the model of its equivalent tree.",
    target="structure",
    stands_for="tree",
    needs="loops",
    label="Equivalent tree",
)
BASE = Option("base_parameters", "flag", "Compute with the base set of inertial parameters.")
MODES = Option(
    "modes", "whole numbers", "A parallel robot: the branch of each leg, 0,1,0,..; default: as in the reference.",
    metavar="NUMBERS", use="platform", needs="platform",
)  # fmt: skip
LEG_JOINTS = Option(
    "passive", "yes or no", "A parallel robot: the passive joints of the legs, too; default: yes.", use="platform",
    needs="platform",
)  # fmt: skip
SPACE = Option(
    "space",
    "text",
    "A parallel robot: platform or joint coordinates.",
    choices=("platform", "joint"),
    use="platform",
    needs="platform",
)
POSE = Option(
    "pose", "quantities", "R row by row and P; or x,y,z; or x,y,z,roll,pitch,yaw from the reference position.",
    metavar="NUMBERS",
)  # fmt: skip
LENGTH = Option(
    "length", "quantity", "Metres that count as one radian; default: the size of the platform.", metavar="M"
)
LEG_MODES = Option("modes", "whole numbers", "The branch of each leg, 0,1,0,..", metavar="NUMBERS")
ASSEMBLY = Option(
    "modes", "text", "A closed robot: solutions in the assembly mode of the reference, or in all modes, each row with "
    "its own (0: the reference).", "reference", ("reference", "all"), needs="loops",
)  # fmt: skip
DYNAMIC = (TREE, BASE)
REFERENCE = Option(
    "reference", "values", "A joint in the mode of a closed robot that is meant: t1=0.3; may be repeated.",
    metavar="NAME=NUMBER", needs="loops",
)  # fmt: skip
ELASTIC = (
    Option("passive", "text", "What elastic joints that no motor drives do.", "driven", ("driven", "free"),
           needs="elastic joints"),
    Option("rest", "values", "Where the spring of an elastic joint is at rest: 3=0.1; may be repeated.",
           metavar="JOINT=NUMBER", needs="elastic joints"),
)  # fmt: skip
WEIGHTS = Option(
    "weights", "values", "More motors than freedoms: the weight of a motor, t1=4; may be repeated.",
    metavar="JOINT=NUMBER", needs="loops",
)  # fmt: skip
MODEL_FRICTION = Option(
    "friction", "friction", "yes, no, or smooth: tanh(qd / 0.01) in the place of signs.", metavar="yes|no|smooth"
)
LAW_FRICTION = Option(
    "friction", "friction", "Friction in the law: smooth (the default: dry friction by tanh and not by the sign of a "
    "velocity, at the desired velocity where there is one), yes (as described) or no.", metavar="no|smooth|yes",
)  # fmt: skip
DESIRED_FRICTION = replace(
    LAW_FRICTION, help="Friction at the desired velocity: yes (the default: as described), smooth (tanh in the place "
    "of signs) or no.",
)  # fmt: skip
PREPARE = (
    Option("cut", "decimal", "Cut-off frequency of the filters, Hz.", 10),
    Option("rate", "decimal", "Samples a second that are kept; default: ten times the cut-off frequency."),
    Option("rest", "decimal", "A joint is at rest below this speed, rad/s or m/s; default: 0.02."),
)
FITTED = (
    Option("method", "text", "ols, wls, tls, iv, didim or links.", "wls",
           ("ols", "wls", "tls", "iv", "didim", "links")),
    Option("model", "text", "dynamic, power, energy or filtered.", "dynamic",
           ("dynamic", "power", "energy", "filtered")),
    Option("friction", "terms", "auto, or of smooth=0.02, load, stribeck=0.1, asymmetric, passive, no-offset and terms "
           "of one's own, FC=tanh(qd/0.3), commas between; default: viscous, Coulomb, offset.", metavar="TERMS"),
)  # fmt: skip
RATIO = Option(
    "ratio", "decimals", "Reduction ratios: the log is of the motors; of a coupled wrist the matrix, row by row."
)
GAIN = Option("gain", "decimals", "Torque constants: the log has currents.")
READING = (  #: how the columns of a log are read
    Option("columns", "columns", "What a column is called: q1=NAME, or with its unit q1[deg]=NAME, t[ms]=NAME; may be "
           "repeated.", metavar="Q1=NAME"),
    Option("degrees", "yes or no", "Whether angles are in degrees."),
    Option("step", "decimal", "Seconds between samples, of a log without times."),
)  # fmt: skip
FRICTION = Option("friction", "yes or no", "Columns of friction; default: where the joints have it.")
OFFSET = Option("offset", "flag", "Columns of constant offsets of the torques.")
ROWS = Option("rows", "numbers", "Of the Jacobian: 1,2,3 for the linear velocity; default: all six.", metavar="1,2,..")
COLUMNS = (
    Option("frame", "frame", "The frame in which the velocity is expressed; default: 0 or the projection frame."), ROWS,
    Option("joints", "joints", "The columns that are wanted, by number or name; default: all.", metavar="1,2,.."),
    Option("active", "yes or no", "Of a closed robot: columns of the motors, which the passive joints follow.",
           needs="loops"),
    REFERENCE,
)  # fmt: skip
PROJECTION = (
    Option("projection", "frame", "Frame i of iJr,j; default: the simplest."),
    Option("intermediate", "frame", "Frame j of iJr,j; default: the simplest."),
)
TASK = (
    Option("method", "text", "auto, paul, pieper or general.", "auto", ("auto", "paul", "pieper", "general")),
    Option("given", "text", "The columns of the pose that are given, of s n a P.", "snaP"),
)

FRAME = Option("frame", "frame", f"The frame to place; {END}.")
TARGET = (
    FRAME,
    Option("reference", "frame", "The frame that the pose is seen from: 0, or -1 for the world.", 0),
    TOOL,
    Option("fixed", "known", "A joint that is known: t3, or t3=0.2 with its value; may be repeated."),
)
IN_WORDS = Option(
    "language", "text", "One of: {choices}. Default: in words.", short="-l", choices=_languages, use="delivery"
)


KP = Option("kp", "text", "Gains of positions: one or one each; default: symbols KP1, ..", metavar="GAIN,..")
KD = Option("kd", "text", "Gains of velocities: one or one each; default: symbols KD1, ..", metavar="GAIN,..")
CONTROLLED = Option("link", "frame", f"The link; {END}.")
BRAKE = Option("null_damping", "text", "Brakes what the link does not feel; default: 0.", metavar="GAIN,..")


#: models whose rounding a command checks; in Python it is a method of every model
CHECKED = (
    "inverse_dynamics", "direct_dynamics", "inertia_matrix", "bias_torques", "gravity_torques", "coriolis_matrix",
    "energy", "velocities", "accelerations",
)  # fmt: skip


def _methods() -> Iterable[str]:
    from robosym.runtime.march import METHODS
    from robosym.simulation.integration import SOLVERS

    return (*METHODS, *SOLVERS)


_ROWS = (
    Command("Robot", "list", "The robots of the library.", (), gives="robots", function="library"),
    Command("Robot", "show", "The parameters of a robot.", (Argument("robot", "text", ROBOT.help),),
            gives="robot", function="load"),
    Command("Robot", "new", "A description to begin with: revolute joints, no lengths, symbols for the links.",
            (Argument("name", "text", "The robot's name."), Argument("links", "number", "How many links move.")),
            (Option("joints", "number", "How many joints there are, cut ones included; default: as many as links."),
             Option("output", "file", "A .yaml or .par file. Default: print YAML.", short="-o", use="delivery",
                    written=True)),
            gives="description", function="Robot.named"),
    Command("Robot", "convert", "Write a robot's description in another format.",
            (ROBOT, Argument("output", "file", "A .par, .yaml, .urdf, .xml or .sdf file.")),
            gives="file", function="Robot.write"),
    Command("Robot", "explain", "What the code of an error means and what to do.",
            (Argument("code", "text", "A code such as E206, which follows a message in brackets."),), (OUTPUT,),
            gives="text", function="robosym.errors:explain"),
    Command("Robot", "app", "The page: tables, picture and all models of a robot in the browser, on this computer.",
            (Argument("robot", "text", f"{ROBOT.help[:-1]}; none to choose there.", optional=True),),
            (Option("port", "number", "The port of the address; default: 8319, or a free one."),
             Option("no_browser", "flag", "Print the address only, open no browser.")),
            gives="nothing", function="robosym.app.page.serve:app"),
    Command("Robot", "bundle", "A folder for a controller: C functions, self-test, CMake, S-function, C++ header.",
            (ROBOT,),
            (Option("output", "file", "The folder.", short="-o", target="folder", metavar="FOLDER",
                    written=True),
             Option("prefix", "text", "What every name begins with; default: the robot's name."),
             Option("precision", "text", "Of numbers: double or single.", "double", ("double", "single")),
             Option("frame", "frame", f"The frame whose pose and Jacobian are wanted; {END}."),
             TOOL, LAW_FRICTION),
            gives="files"),
    Command("Robot", "draw", "A picture of a robot: frames, axes, links, loops and names, from any view.", (ROBOT,),
            (Option("joint", "values", "The position of a joint: t1=0.3, in rad or m; may be repeated. Default: as the "
                    "description says, or so that the robot is seen well.", metavar="NAME=NUMBER", target="q"),
             Option("view", "text", "auto, iso, front, back, left, right, top, bottom, or azimuth and elevation in "
                    "degrees: -50,20.", "auto"),
             Option("size", "text", "Width and height in pixels: 720x540.", metavar="WIDTHxHEIGHT"),
             Option("hide", "texts", "What is not wanted of names, axes, frames, grid; may be repeated."),
             Option("select", "frame", "A link to light up."),
             Option("dark", "flag", "On a dark ground."),
             Option("output", "file", "A .svg, .png or .html file. Default: the robot's name with .svg.", short="-o",
                    use="delivery", written=True)),
            gives="drawing"),

    Command("Geometric", "direct_geometry", "The fast geometric model iTj, with intermediate variables.",
            (ROBOT, FRAME_I_OR_NONE, FRAME_J_OR_NONE), (TOOL, *MODEL)),
    Command("Geometric", "general_equations", "The equations of the general method, as far as they are wanted.",
            (ROBOT,),
            (Option("stop", "text", "How far: AB, E, Sigma or determinant.", "E", ("AB", "E", "Sigma", "determinant")),
             Option("first", "number", "The joint at which the chain is opened, 1 to 6.", 1), FRAME, TOOL, *MODEL),
            then="model"),
    Command("Geometric", "inverse_geometry", "Joint positions from a pose: the solution step by step, or as code.",
            (ROBOT,),
            (*TASK, *TARGET, MODES, LEG_JOINTS, OUTPUT, IN_WORDS, NAME),
            gives="solution", extensions={"paul": "pau", "pieper": "pie", "general": "ragn"}),
    Command("Geometric", "loop_geometry", "Passive joints of a closed robot from its active ones, step by step.",
            (ROBOT,),
            (Option("known", "texts", "A joint that is given; default: the active ones."), OUTPUT, IN_WORDS, NAME),
            gives="solution", extensions={"explicit": "cgel", "numeric": "cgel"}, needs="loops"),
    Command("Geometric", "solve", "All joint positions that bring a frame to a pose.", (ROBOT,),
            (Option("pose", "texts", "x,y,z,roll,pitch,yaw, 16 numbers row by row, other forms (see docs), or a .csv "
                    "or .json file of poses; may be repeated.", metavar="POSE"),
             TASK[0],
             replace(TASK[1], default=None, help=f"{TASK[1].help[:-1]}; default: all, or P where poses are positions."),
             *TARGET, Option("near", "quantities", "Joint positions: the nearest solution comes first.",
                                    metavar="NUMBERS"),
             Option("limits", "flag", "Only solutions within the limits of the description."),
             Option("values", "values", "A parameter that is a symbol: D3=0.45; may be repeated.",
                    metavar="NAME=NUMBER"), ASSEMBLY, OUTPUT),
            gives="numbers", function="robosym.app.menus.composed:solve"),
    Command("Geometric", "motors", "Motors of a parallel robot at a pose of its platform, in numbers.", (ROBOT,),
            (POSE, Option("passive", "flag", "All joints of the legs."), LEG_MODES, OUTPUT),
            gives="text", function="robosym.app.menus.composed:motors", needs="platform"),
    Command("Geometric", "paul_matrices", "The matrices of Paul's method, both sides, forward and backward.",
            (ROBOT,), (FRAME, TOOL, *MODEL)),
    Command("Geometric", "poses", "Poses of a platform at positions of its motors: all of them, or one.", (ROBOT,),
            (Option("motors", "quantities", "Their positions, in order: 0.3,0.35,0.4.", metavar="NUMBERS"),
             Option("near", "quantities", "Only the pose near this one, given as for `motors --pose`.",
                    metavar="NUMBERS"),
             OUTPUT), gives="text", function="robosym.app.menus.composed:poses", needs="platform"),
    Command("Geometric", "transform", "The transformation matrix iTj in expanded form.",
            (ROBOT, FRAME_I, FRAME_J),
            (Option("also", "pairs", "Another pair of frames, 3,6 or base,tool0; may be repeated.", metavar="I,J"),
             *MODEL),
            function="robosym.app.menus.composed:transform", needs="no platform"),

    Command("Kinematic", "accelerations", "Accelerations of all links.", (ROBOT,), MODEL),
    Command("Kinematic", "determinant", "The determinant of a Jacobian, factorised: the zeros of its factors are the "
            "singular configurations.", (ROBOT, LINK_OR_NONE),
            (*PROJECTION, *COLUMNS, TOOL, OUTPUT,
             Option("language", "text", "As code; default: the factors.", short="-l", choices=_languages,
                    use="delivery"), AT),
            gives="solution", function="jacobian", then="determinant", needs="no platform"),
    Command("Kinematic", "inverse_jacobian", "The inverse of a square Jacobian; of a parallel robot J_p.",
            (ROBOT, LINK_OR_NONE), (*PROJECTION, *COLUMNS, TOOL, MODES, *MODEL),
            function="jacobian", then="inverse"),
    Command("Kinematic", "inverse_kinematics", "Joint velocities for a velocity of a link: damped least squares and an "
            "optimisation term.", (ROBOT, LINK_OR_NONE),
            (Option("frame", "frame", "The frame in which the velocity is expressed.", 0), ROWS, TOOL, *MODEL),
            function="inverse_kinematics", then="model"),
    Command("Kinematic", "jacobian", "The Jacobian matrix of a link; of a parallel robot J_p^-1.",
            (ROBOT, LINK_OR_NONE), (*PROJECTION, *COLUMNS, TOOL, MODES, *MODEL)),
    Command("Kinematic", "jdot_qdot", "The product of the Jacobian's derivative and the joint velocities.",
            (ROBOT, replace(LINK, optional=True, help="The link; default: all links, one row per link.")), MODEL),
    Command("Kinematic", "loop_kinematics", "Constraint equations of the loops of a closed robot.", (ROBOT,),
            (Option("solution", "flag", "Solved for the passive joints: W.", use="method"),
             Option("parallelograms", "yes or no", "Whether parallelograms are known to stay such; default: yes."),
             REFERENCE, *MODEL), needs="loops"),
    Command("Kinematic", "manipulability", "The manipulability sqrt(det(J J^T)) of a frame.", (ROBOT,),
            (Option("link", "frame", f"The frame; {END}."),
             Option("task", "text", "all, position or rotation.", "all", ("all", "position", "rotation")), TOOL,
             *MODEL)),
    Command("Kinematic", "operational_jacobian", "Operational coordinates and their Jacobian.", (ROBOT, LINK_OR_NONE),
            (Option("orientation", "text", "rpy, euler, quaternion or cosines.", "rpy",
                    ("rpy", "euler", "quaternion", "cosines")), TOOL, *MODEL)),
    Command("Kinematic", "singularities", "Singular poses of a parallel robot along a path, of both types.",
            (ROBOT, Argument("path", "file", "A pose a line: 12, 3 or 6 numbers, as for `motors --pose`.")),
            (LEG_MODES, LENGTH, OUTPUT), gives="text", function="robosym.app.menus.composed:singularities",
            needs="platform"),
    Command("Kinematic", "velocities", "Velocities of all links.", (ROBOT,), MODEL),
    Command("Kinematic", "workspace", "What a parallel robot reaches on a grid of poses, and how well.", (ROBOT,),
            (*(Option(name, "axis", "Its values: FROM:TO:COUNT, or numbers between commas.", metavar="VALUES")
               for name in ("x", "y", "z", "roll", "pitch", "yaw")),
             Option("table", "flag", "Every pose with its dexterity, as CSV."),
             Option("limits", "yes or no", "Whether joints must stay within their limits; default: yes."),
             LEG_MODES, LENGTH, OUTPUT),
            gives="text", function="robosym.app.menus.composed:workspace", needs="platform"),

    Command("Dynamic", "achievable_accelerations", "The accelerations that motors of limited torque attain.", (ROBOT,),
            (Option("motor", "texts", "Of a joint: 2:torque=20,ratio=50,inertia=0.0001,viscous=..,coulomb=..; may be "
                    "repeated. Default: torques TMAX1, TMAX2, ..", metavar="JOINT:NAME=VALUE,.."),
             Option("others", "text", "What motors within their limits keep: torque or acceleration.", "torque",
                    ("torque", "acceleration")), BASE, *MODEL),
            function="robosym.app.menus.composed:achievable_accelerations", needs="no platform"),
    Command("Dynamic", "bias_torques", "Centrifugal, Coriolis and gravity torques H.", (ROBOT,),
            (*DYNAMIC, REFERENCE, MODEL_FRICTION, SPACE, MODES, *MODEL)),
    Command("Dynamic", "cable_tensions", "Pulls of the cables that hold a platform at rest, between bounds.", (ROBOT,),
            (POSE, Option("lower", "quantities", "Least pull in newtons, one for all or one for each; default: 0."),
             Option("upper", "quantities", "Greatest pull in newtons, likewise; default: none."), OUTPUT),
            gives="text", function="robosym.app.menus.composed:cable_tensions", needs="platform"),
    Command("Dynamic", "compare_formulations", "Operations of the formulations of the literature: Uicker-Kahn, "
            "Hollerbach, Silver, Luh, ours.", (ROBOT,), (OUTPUT,), gives="text", function="formulations.compare"),
    Command("Dynamic", "coriolis_matrix", "A matrix C with C(q, qd) qd the centrifugal and Coriolis torques.",
            (ROBOT,), (*DYNAMIC, *MODEL)),
    Command("Dynamic", "direct_dynamics", "Joint accelerations from torques.", (ROBOT,),
            (Option("route", "text", "recursive (no inertia matrix) or cholesky.", "recursive",
                    ("recursive", "cholesky")), *DYNAMIC, *ELASTIC, REFERENCE, MODEL_FRICTION, MODES, *MODEL)),
    Command("Dynamic", "energy", "Kinetic energy, that of weight and springs, and the powers that change them.",
            (ROBOT,), (TREE, *ELASTIC, REFERENCE, *MODEL)),
    Command("Dynamic", "gravity_torques", "Gravity torques Q.", (ROBOT,), (*DYNAMIC, REFERENCE, *MODEL)),
    Command("Dynamic", "inertia_matrix", "The inertia matrix A.", (ROBOT,),
            (Option("gravity", "flag", "The gravity torques Q, too: they share the composite links.",
                    label="Gravity torques, too", needs="no platform"),
             *DYNAMIC, REFERENCE, SPACE, MODES, *MODEL)),
    Command("Dynamic", "inverse_dynamics", "Motor torques from positions, velocities and accelerations.", (ROBOT,),
            (*DYNAMIC, *ELASTIC, REFERENCE, MODEL_FRICTION, WEIGHTS, MODES, *MODEL)),
    Command("Dynamic", "lagrange", "The matrices A, B, C and Q of Lagrange's model.", (ROBOT,),
            (Option("form", "text", "customized or expanded.", "customized", ("customized", "expanded")),
             *DYNAMIC, *MODEL), extensions={"customized": "lag", "expanded": "Elag"}),
    Command("Dynamic", "modified_newton_euler", "Inertia matrix and bias torques in one sweep.", (ROBOT,),
            (*DYNAMIC, *MODEL)),

    Command("Identification", "base_parameters", "The base inertial parameters and how they are grouped.", (ROBOT,),
            (Option("method", "text", "symbolic or numeric.", "symbolic", ("symbolic", "numeric")), TREE, REFERENCE,
             Option("write", "file", "Write the robot with its base parameters here.", use="save", target="robot",
                    written=True),
             OUTPUT), gives="text", extensions={"symbolic": "regp", "numeric": "Nreg"}),
    Command("Identification", "dynamic_identification", "The regressor D: torques are D K.", (ROBOT,),
            (*DYNAMIC, FRICTION, OFFSET, MODES, *MODEL)),
    Command("Identification", "energy_identification", "The energy functions h.", (ROBOT,),
            (*DYNAMIC, FRICTION, MODES, *MODEL)),
    Command("Identification", "filtered_identification", "The parts D1 and D2 of the filtered regressor.", (ROBOT,),
            (*DYNAMIC, FRICTION, OFFSET, MODES, *MODEL)),
    Command("Identification", "identify", "Parameters, friction and offsets from a log of a motion.",
            (ROBOT, Argument("log", "file", "A .csv, .npz or .parquet file with columns t, q1 .., tau1 ..")),
            (*FITTED, Option("also", "texts", "Another log that is fitted too; may be repeated.", metavar="FILE"),
             Option("judge", "texts", "A log that is predicted, not fitted; may be repeated.", metavar="FILE"),
             *PREPARE, RATIO, GAIN, *READING,
             Option("essential", "flag", "Only parameters that matter.", use="method"),
             Option("bootstrap", "flag", "Deviations by block bootstrap.", use="method"),
             Option("consistent", "flag", "Links that can exist.", use="method"),
             Option("report", "texts", "Write a page with tables and plots here.", use="method", metavar="FILE",
                    written=True),
             Option("write", "file", "Write the robot that was found here.", use="save", target="robot", written=True),
             OUTPUT), gives="text", function="robosym.app.menus.composed:identify"),
    Command("Identification", "identify_drives", "Gains of the drives from logs without and with a load of known mass.",
            (ROBOT, Argument("free", "file", "A log without the load."), Argument("loaded", "file", "One with it.")),
            (Option("mass", "decimal", "Of the load, kg."), Option("friction", "terms", "As for identify.",
                                                                  metavar="TERMS"), *PREPARE, RATIO, *READING, OUTPUT),
            gives="text", function="robosym.app.menus.composed:identify_drives"),
    Command("Identification", "identify_payload", "Mass, first moments and inertia of a load at the end of the arm.",
            (ROBOT, Argument("log", "file", "A log without the load."), Argument("loaded", "file", "One with it.")),
            (*FITTED, Option("also", "texts", "Another log without the load; may be repeated.", metavar="FILE"),
             Option("also_loaded", "texts", "Another log with the load; may be repeated.", metavar="FILE"),
             *PREPARE, RATIO, GAIN, *READING, OUTPUT), gives="text",
            function="robosym.app.menus.composed:identify_payload"),
    Command("Identification", "power_identification", "The derivatives of the energy functions.", (ROBOT,),
            (*DYNAMIC, FRICTION, OFFSET, MODES, *MODEL)),

    Command("Workbench", "excite", "A motion along which the parameters of a robot are identified well, within limits.",
            (ROBOT,),
            (Option("limits", "file", "YAML: position, velocity, acceleration, torque, box, floor."),
             Option("period", "decimal", "Seconds.", 20), Option("harmonics", "number", "Of the Fourier series.", 7),
             Option("criterion", "text", "condition or d-optimal.", "condition", ("condition", "d-optimal")),
             Option("kind", "text", "fourier or spline.", "fourier", ("fourier", "spline")),
             Option("frame", "frame", f"The frame that box and floor are for; {END}."), TOOL,
             Option("friction", "yes or no", "Whether friction is among the parameters; default: yes."),
             Option("offset", "yes or no", "Whether constant torques are; default: yes."),
             Option("start", "decimals", "The posture to begin and end at: 0,0.5,1 ..."),
             Option("starts", "number", "How many motions the search begins with.", 4),
             Option("seed", "number", "Of the random numbers.", 0),
             Option("workers", "number", "Processes; default: one for each core."),
             Option("write", "file", "Write a table of the motion (CSV) here.", use="save", target="itself",
                    written=True),
             Option("plot", "texts", "Write a page with curves here.", use="method", metavar="FILE",
                    written=True), OUTPUT),
            gives="text", function="exciting_trajectory"),
    Command("Workbench", "study", "A function over many positions: manipulability, singularity or workspace.",
            (Argument("function", "text", "manipulability, singularity or workspace."),
             Argument("samples", "text", "A grid, t2=-2:2:50,t3=0:1:11, or a number of random positions."), ROBOT),
            (Option("link", "frame", f"The frame; {END}."), TOOL,
             Option("task", "text", "all, position or rotation.", choices=("all", "position", "rotation")),
             Option("fix", "values", "An input that is not sampled: t1=0.5; may be repeated.", metavar="NAME=VALUE",
                    target="at"),
             Option("workers", "text", "Processes, or all.", metavar="NUMBER"),
             Option("cluster", "text", "The address of a Dask cluster.", metavar="ADDRESS"),
             Option("path", "file", "A folder in which finished parts are kept, to go on later.",
                    written=True),
             Option("write", "file", "Write the results (.npz) here.", use="save", target="itself",
                    written=True), OUTPUT),
            gives="text", needs="no platform"),

    Command("Workbench", "adaptive_control", "A law that learns the inertial parameters while it tracks.", (ROBOT,),
            (Option("rate", "text", "How fast errors are brought back; default: symbols L1, ..", metavar="GAIN"), KD,
             Option("learning", "text", "How fast parameters are learnt; default: symbols G1, ..", metavar="GAIN"),
             Option("base_parameters", "yes or no", "The base parameters alone: yes or no.", metavar="YES"),
             LAW_FRICTION, *MODEL)),
    Command("Workbench", "computed_torque", "Computed torque control: the inverse model and a PD law.", (ROBOT,),
            (KP, KD, BASE, LAW_FRICTION, *MODEL)),
    Command("Workbench", "feedforward", "Torques of the desired motion, and a PD law beside them.", (ROBOT,),
            (KP, KD, BASE, DESIRED_FRICTION, *MODEL)),
    Command("Workbench", "force_ellipsoid", "Which forces a link can exert with torques within their limits.", (ROBOT,),
            (CONTROLLED, Option("limits", "text", "Of the torques: one for all or one each; default: 1.",
                                metavar="TORQUE"),
             Option("rows", "numbers", "1 to 3 forces, 4 to 6 moments; default: 1,2,3.", metavar="1,2,.."),
             Option("frame", "frame", "The frame in which forces are seen."), TOOL, *MODEL)),
    Command("Workbench", "impedance_control", "Springs and dampers between a link and a desired pose.", (ROBOT,),
            (CONTROLLED, Option("stiffness", "text", "One or six; default: symbols K1, ..", metavar="GAIN"),
             Option("damping", "text", "One or six; default: symbols D1, ..", metavar="GAIN"), BRAKE, BASE, TOOL,
             *MODEL)),
    Command("Workbench", "momentum_observer", "Efforts from outside, such as a collision, from momentum.", (ROBOT,),
            (Option("gain", "text", "1 / time constant; default: symbols KO1, ..", metavar="GAIN"),
             LAW_FRICTION, *MODEL)),
    Command("Workbench", "motor_loads", "Torque, speed and power of each motor along a motion, and a choice of motors.",
            (ROBOT, Argument("trajectory", "file", "A .csv file with columns t, q1 .., and qd1 .., qdd1 .. if known.")),
            (Option("drives", "quantities", "Gear ratios: one for all or one each.", metavar="RATIO,.."),
             Option("motors", "file", "A .csv file: name, torque, speed, peak, inertia, mass."),
             Option("write", "file", "Write torques and speeds over time here, as .csv.", use="save",
                    target="itself", written=True), OUTPUT),
            gives="text"),
    Command("Workbench", "operational_control", "Decoupling control of a link in space.", (ROBOT,),
            (CONTROLLED, KP, KD, Option("damping", "text", "lambda^2 of the Jacobian's inverse.", metavar="NUMBER"),
             BRAKE, BASE, TOOL, LAW_FRICTION, *MODEL)),
    Command("Workbench", "pd_gravity", "A PD law with compensation of gravity.", (ROBOT,), (KP, KD, BASE, *MODEL)),
    Command("Workbench", "precision", "Rounding errors of a model in double and single precision.", (ROBOT,),
            (Option("model", "text", "{choices}.", "inverse_dynamics", CHECKED),
             Option("range", "ranges", "An input or a group: q=-1:1, D3=0.45; may be repeated. Default: limits of the "
                    "joints, else as robots usually move.", metavar="NAME=LOW:HIGH", target="ranges"),
             Option("samples", "number", "States that are checked in many digits.", 100),
             Option("tolerance", "decimal", "What single precision is to keep; default: 0.0001."), OUTPUT),
            gives="text", function="robosym.app.menus.composed:precision"),
    Command("Workbench", "predictive_control", "Computed torque with the model at the desired motion.", (ROBOT,),
            (KP, KD, BASE, DESIRED_FRICTION, *MODEL)),
    Command("Workbench", "simulate", "The motion of a robot from torques or under a controller.", (ROBOT,),
            (Option("q", "quantities", "Where it begins: one number a joint; default: zero, or the reference position.",
                    metavar="Q1,..", label="Joint positions"),
             Option("qd", "quantities", "Velocities there; default: zero.", metavar="QD1,..", label="Joint velocities"),
             Option("torque", "quantities", "Of the motors; default: none.", metavar="TAU1,.."),
             Option("controller", "law", "A law and its gains: computed_torque:kp=100,kd=20; one for each joint by "
                    "slashes.", metavar="LAW:GAINS"),
             Option("reference", "followed", "What the law follows: a position Q1,.. or a .csv file t, q1, .., qd1, ..",
                    metavar="WHERE"),
             Option("until", "quantity", "Seconds.", 10, metavar="TIME"),
             Option("step", "quantity", "Seconds.", 0.001, metavar="TIME"),
             Option("method", "text", "{choices}.", "rk4", _methods),
             Option("disturbance", "quantities", "Efforts beside those of the motors.", metavar="TAU1,.."),
             Option("motor", "motors", "Of a joint: 2:torque=20,ratio=50,speed=300,inertia=..; may be repeated.",
                    metavar="JOINT:NAME=VALUE,..", target="actuators"),
             Option("actuators", "flag", "Limits of torque and speed as the description has them."),
             Option("friction", "text", "stick, smooth or sign.", choices=("stick", "smooth", "sign")),
             Option("smooth", "quantity", "The speed within which smooth friction turns over.", 0.01, metavar="SPEED"),
             Option("stops", "stops", "limits, or JOINT=LOWER,UPPER; may be repeated.", metavar="STOP"),
             Option("base", "quantities", "Of a floating base: position and quaternion.", metavar="X,Y,Z,W,X,Y,Z"),
             Option("base_velocity", "quantities", "Of a floating base: angular, then linear.", metavar="WX,.."),
             Option("period", "quantity", "How long a controller's torque is held.", metavar="TIME"),
             Option("every", "number", "Steps from one sample that is kept to the next.", 1),
             Option("tolerance", "quantity", "Of a variable step.", metavar="NUMBER"),
             Option("write", "file", "Write the samples here, as .csv or .npz.", use="save", target="itself",
                    written=True),
             Option("plot", "file", "Draw them here, as .svg or .html.", use="file", written=True),
             Option("animate", "file", "Write a page .html that plays the motion.", use="file", written=True), OUTPUT),
            gives="text"),

    Command("Optimizer", "optimize", "Read a model from a file, choose outputs, reduce its operations, write it in any "
            "language.", (Argument("file", "file", "A listing, Fortran, Mathematica or Maple model."),),
            (SELECT, Option("level", "text", "0, 1, 2, 3 or max.", "1", LEVELS, use="function", target="optimize"),
             GOAL, BUDGET, OUTPUT, LANGUAGE), function="read_model"),
)  # fmt: skip


def _settable(row: Command) -> Command:
    """The same row; every command that is given a robot lets its values be set and frames be added."""
    if row.gives == "robot":  # it reads the file by itself
        return replace(row, options=(*row.options, SET, ADD_FRAME, XACRO, replace(FLOATING, use="keyword")))
    takes = any(argument.kind == "robot" for argument in row.arguments)
    kept = (INPUTS,) if row.gives == "model" or row.name == "bundle" else ()
    return replace(row, options=(*row.options, SET, ADD_FRAME, *kept, XACRO, FLOATING)) if takes else row


COMMANDS = {row.name: _settable(row) for row in _ROWS}  #: by name, in the order in which they are listed

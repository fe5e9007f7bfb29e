"""Table of all commands, by the menus of the guide. To add a model: its file, one row here, its test.

A row names a public function. Arguments, options, types, choices, defaults and help texts follow from its signature
and docstring (see `signatures`); a row adds only what these do not contain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from robosym.app.menus.command import Command
from robosym.app.menus.signatures import ROBOT, Argument, Option

__all__ = ["CODE", "COMMANDS", "MENUS"]

MENUS = ("Robot", "Geometric", "Kinematic", "Dynamic", "Identification", "Workbench", "Optimizer")


def _languages() -> Iterable[str]:
    """Return the languages, which are imported only when a help text or a value needs them."""
    from robosym.languages import LANGUAGES

    return LANGUAGES


def _methods() -> Iterable[str]:
    from robosym.runtime.fixed_step import METHODS
    from robosym.simulation.integration import SOLVERS

    return (*METHODS, *SOLVERS, "cycle")


# ----------------------------------------------------------------------- options that are not parameters

OUTPUT = Option(
    "output", "file", "Write the result to this file. The extension chooses the format. Default: print it.",
    short="-o", use="delivery", written=True,
)  # fmt: skip
LANGUAGE = Option(
    "language", "text", "Language of the code. One of: {choices}. Default: listing.", short="-l", choices=_languages,
    use="delivery",
)  # fmt: skip
IN_WORDS = replace(LANGUAGE, help="Write code in this language instead of an explanation. One of: {choices}.")
FACTORS = replace(LANGUAGE, help="Write code in this language instead of the factors. One of: {choices}.")
TIME_LIMIT = Option(
    "time_limit", "quantity", "Stop with an error after this many seconds. Nothing is written then.",
    metavar="SECONDS", use="delivery", label="Time limit",
)  # fmt: skip
SELECT = Option(
    "select", "texts", "Keep only the variables with this name or prefix.", short="-s", use="method",
    label="Keep only",
)  # fmt: skip
SET = Option(
    "set", "texts", "Set a symbol or an entry of the robot: D3=0.45, link6.FX=F, gravity=[0,0,-9.81].",
    metavar="NAME=VALUE", use="robot", label="Values of the robot",
)  # fmt: skip
ADD_FRAME = Option(
    "add_frame", "texts", "Add a frame fixed to another one, such as a tool center point: "
    "tcp=tool0:x,y,z,roll,pitch,yaw.", metavar="NAME=PARENT:POSE", use="robot", label="More frames",
)  # fmt: skip
XACRO = Option(
    "xacro", "texts", "Set an argument of a .xacro file: name=ur5e.", metavar="NAME=VALUE", use="robot",
    target="arguments", label="Arguments of xacro",
)  # fmt: skip
FLOATING = Option("floating", "flag", "Treat the root link as a floating base.", use="robot", label="Floating base")
INPUTS = Option(
    "inputs", "texts", "Make this an input of the generated function: gravity, orientation (of the base, a "
    "quaternion), payload or payload:LINK.", metavar="WHAT", use="robot", label="Inputs",
)  # fmt: skip
LEVELS = ("0", "1", "2", "3", "max")
OPTIMIZE = Option(
    "optimize", "text", "Reduce the number of operations: 0 (not at all), 1, 2, 3 or max (may take seconds).",
    metavar="LEVEL", choices=LEVELS, use="function",
)  # fmt: skip
GOAL = Option(
    "goal", "text", "Objective of the optimizer: operations (as SYMORO+ counts them) or speed (run time).",
    choices=("operations", "speed"), use="with", target="optimize",
)  # fmt: skip
BUDGET = Option(
    "budget", "quantity", "Time limit of the optimizer, in seconds. The best result found by then is used.",
    metavar="SECONDS", use="with", target="optimize",
)  # fmt: skip
DERIVATIVE = Option(
    "derivative", "texts", "Return the partial derivatives with respect to this group of inputs (q, qd, ...) instead.",
    use="method", label="Derivative by",
)  # fmt: skip
GRADIENT = Option(
    "gradient", "texts", "Return the gradient of a weighted sum of the outputs with respect to this group of inputs "
    "instead.", use="method", label="Gradient by",
)  # fmt: skip
NAME = Option("name", "text", "Name of the function. Default: the name of the robot and the kind of model.",
              metavar="NAME", use="delivery")  # fmt: skip
#: options of languages (see `Language.options`); an error lists the options of the chosen language
CODE = (
    Option("init", "flag", "Compute terms that depend only on parameters in a separate function.", use="delivery",
           label="Separate initialization"),
    Option("precision", "text", "Precision of numbers in C: double or single.", choices=("double", "single"),
           use="delivery"),
    NAME,
    Option("prefix", "text", "Prefix of the function name.", use="delivery"),
    Option("no_tables", "flag", "Leave the tables of the robot out of a listing.", use="delivery",
           label="No tables in the listing"),
)  # fmt: skip
RANGE = Option(
    "range", "ranges", "Value or range of an input or group. Defaults: the joint limits, or else ±π rad, ±1 m, ±5 "
    "rad/s, ±20 rad/s², ±100 N m and standard gravity. Parameters have no default.", target="ranges",
    needed="platform",
)  # fmt: skip
BOUNDS = Option(
    "bounds", "ranges", "Write guaranteed bounds of the outputs and of rounding errors in the header of the file, for "
    "this value or range of an input or group; others have the defaults of robosym bounds.", use="method",
    target="with_bounds", label="Bounds in the header",
)  # fmt: skip
AT = Option(
    "at", "states", "Evaluate the model and return numbers: q=0.1,0.2,... sets a group, D3=0.45 one input, a .csv file "
    "one state per line. -o then takes .csv or .json.", use="method", target="evaluate",
)  # fmt: skip
COORDINATES = Option(
    "coordinates", "names", "Make these coordinates of the platform the inputs in place of its pose, as many as it has "
    "degrees of freedom.", metavar="X,Y,..", use="method", target="in_coordinates", needs="platform",
)  # fmt: skip
#: options of every command that returns a Model
MODEL = (OUTPUT, LANGUAGE, *CODE, COORDINATES, DERIVATIVE, GRADIENT, SELECT, OPTIMIZE, GOAL, BUDGET, BOUNDS, AT)


def _saved(name: str, text: str, part: str = "itself") -> Option:
    """Return an option that writes a part of the result to a file."""
    return Option(name, "file", text, use="save", target=part, written=True)


TREE = Option("tree", "flag", "Return the model of the equivalent tree of a closed robot.", target="structure",
              stands_for="tree", label="Equivalent tree", needs="loops", needed="loops")  # fmt: skip
FILES = Option("also", "texts", metavar="FILE")
MOTOR = Option(
    "motor", "motors", "Motor of a joint: 2:torque=20,ratio=50. Further entries: speed, peak, inertia, viscous, "
    "coulomb.", target="actuators",
)  # fmt: skip
STOPS = Option(
    "stops", "stops", "Mechanical stops: limits for the joint limits of the description, or JOINT=LOWER,UPPER."
)
CONTROLLER = Option(
    "controller", "law", "Control law with its gains, such as computed_torque:kp=100,kd=20. One gain per joint: "
    "kp=100/80.",
)  # fmt: skip
FRICTION = Option(
    "friction", "terms", "Friction terms separated by commas: smooth=0.02, load, stribeck=0.1, asymmetric, passive, "
    "no-offset, and your own terms, such as FC=tanh(qd/0.3). `auto` selects them by cross-validation. Default: "
    "viscous, Coulomb and offset.",
)  # fmt: skip
READING = (
    "prepare: cut rate rest delay", "Log: columns degrees step",
    Option("columns", "columns", "Name of a column of the file, optionally with its unit: q1=NAME, q1[deg]=NAME, "
           "t[ms]=NAME."),
)  # fmt: skip
COMPOSED = "robosym.app.menus.composed:"
_COORDINATES = {name: "m" if name in "xyz" else "rad" for name in ("x", "y", "z", "roll", "pitch", "yaw")}
_PLACE = tuple(_COORDINATES)
_AXES = tuple(Option(name, "axis", f"Values of {name} in {unit}: FROM:TO:COUNT, or numbers separated by commas.")
              for name, unit in _COORDINATES.items())  # fmt: skip
_RANGES = tuple(Option(name, "quantities", f"Range of {name} in {unit}.", metavar="LOW,HIGH")
                for name, unit in _COORDINATES.items())  # fmt: skip


def _plotted(text: str) -> Option:
    return Option("plot", "file", text, use="file", written=True)


_ROWS = (
    Command("Robot", "list", "List the robots of the library.", (), gives="robots", function="library"),
    Command("Robot", "show", "Show the parameters of a robot.", (replace(ROBOT, kind="text"),),
            (SET, ADD_FRAME, XACRO, replace(FLOATING, use="keyword")), ("name_or_path", "floating", "arguments"),
            gives="robot", function="load"),
    Command("Robot", "new", "Create a description to start from: revolute joints, zero lengths, symbolic links.",
            ("name", "links"),
            (replace(OUTPUT, help="Write the description to this .yaml or .par file. Default: print YAML."),),
            gives="description", function="Robot.named"),
    Command("Robot", "convert", "Write the description of a robot in another format.",
            (ROBOT, Argument("output", "file", "File to write: .par, .yaml, .urdf, .xml or .sdf.")), leave=("path",),
            gives="file", function="Robot.write"),
    Command("Robot", "explain", "Explain the code of an error message.", ("code",), (OUTPUT,), gives="text",
            function="robosym.errors:explain"),
    Command("Robot", "app", "Open the graphical application in the browser. It runs on this computer.",
            (Argument("robot", "text", f"{ROBOT.help[:-1]}. Default: choose one on the start page.", optional=True),),
            gives="nothing", function="robosym.app.page.serve:app"),
    Command("Robot", "bundle", "Write a folder for a controller: C functions, self-test, CMake, S-function, C++ "
            "header.", (ROBOT,),
            (Option("output", "file", short="-o", target="folder", metavar="FOLDER", written=True),
             replace(COORDINATES, use="keyword", target="")), gives="files",
            numbers="all"),
    Command("Robot", "book", "Make the book of a robot: models with derivations, plots, checked numbers and code.",
            (ROBOT,), (OUTPUT,), gives="text"),
    Command("Robot", "fmu", "Write the motion of a robot as a functional mock-up unit (FMI) for simulators.", (ROBOT,),
            (Option("output", "file", short="-o", target="path", metavar="FILE", written=True),
             Option("q", "quantities", metavar="Q1,..", label="Joint positions", needed="no reference"),
             Option("qd", "quantities", metavar="QD1,..", label="Joint velocities"), CONTROLLER,
             Option("values", "values", "Start value of a symbol, which becomes a parameter of the unit: M6=2.5.",
                    target="parameters"), MOTOR,
             Option("actuators", "flag", "Apply the limits of torque and speed in the description."),
             STOPS, Option("base", "quantities", metavar="X,Y,Z,W,X,Y,Z"),
             Option("base_velocity", "quantities", metavar="WX,..")), gives="files", numbers="all"),
    Command("Robot", "build", "Build the functions of a robot for another processor: WebAssembly, "
            "microcontrollers, other computers, graphics processors, MATLAB, Modelica, acados, Python.", (ROBOT,),
            (Option("output", "file", short="-o", target="folder", metavar="FOLDER", written=True),
             Option("functions", "text", metavar="NAME,.."), replace(RANGE, needed="")), gives="files"),
    Command("Robot", "ros2", "Write a ROS 2 package with plugins generated for a robot: dynamics, kinematics, MoveIt "
            "and ros2_control.", (ROBOT,),
            (Option("output", "file", short="-o", target="folder", metavar="FOLDER", written=True),
             Option("plugins", "text", metavar="NAME,..")), gives="files", needs="no platform", numbers="all"),
    Command("Robot", "draw", "Draw a robot: frames, axes, links, loops and names.", (ROBOT,),
            (Option("joint", "values", "Position of a joint: t1=0.3, in rad or m. Default: the position in the "
                    "description, or one that shows the robot well.", target="q"),
             Option("size", "text", metavar="WIDTHxHEIGHT"),
             replace(OUTPUT, help="Write a .svg, .png or .html file. Default: the name of the robot with .svg.")),
            ("values",), gives="drawing"),
    Command("Robot", "share", "Write a page of a robot that opens anywhere: picture, sliders, models and inverse "
            "kinematics in one HTML file.", (ROBOT,),
            (Option("joint", "values", "First position of a joint: t1=0.3, in rad or m.", target="q"),
             Option("functions", "text", metavar="NAME,.."),
             replace(OUTPUT, help="Write an .html file. Default: the name of the robot with .html.")),
            ("values",), gives="drawing"),

    Command("Geometric", "direct_geometry", "Direct geometric model: the transformation matrix iTj with intermediate "
            "variables.", (ROBOT, "i", "j")),
    Command("Geometric", "general_equations", "Equations of the general method (Raghavan and Roth), up to a chosen "
            "step.", (ROBOT,), (Option("stop", "text", default="E", choices=("AB", "E", "Sigma", "determinant")),),
            then="model", needs="six joints"),
    Command("Geometric", "inverse_geometry", "Inverse geometric model (IGM), known elsewhere as inverse kinematics "
            "(IK): explain the solution step by step, or write it as code.", (ROBOT,),
            (OUTPUT, IN_WORDS, NAME, COORDINATES),
            gives="solution", extensions={"paul": "pau", "pieper": "pie", "general": "ragn"}),
    Command("Geometric", "loop_geometry", "Compute the passive joints of a closed robot from the active ones, step by "
            "step.", (ROBOT,), (OUTPUT, IN_WORDS, NAME), gives="solution",
            extensions={"explicit": "cgel", "numeric": "cgel"}, needs="loops"),
    Command("Geometric", "solve", "Solve the inverse geometric model (inverse kinematics, IK) in numbers: all joint "
            "positions that reach a pose.", (ROBOT,),
            (Option("pose", "texts", metavar="POSE"),
             Option("values", "values", "Value of a symbol of the robot: D3=0.45.", target="parameters"),
             Option("modes", "text", default="reference", choices=("reference", "all"), needs="loops"),
             "inverse_geometry: method frame reference tool fixed redundant", OUTPUT), gives="numbers",
            function=f"{COMPOSED}solve"),
    Command("Geometric", "motors", "Compute the motor positions of a parallel robot at a pose of its platform.",
            (ROBOT,), (OUTPUT,), gives="numbers", function=f"{COMPOSED}motors", needs="platform", numbers="geometry"),
    Command("Geometric", "paul_matrices", "Both sides of the matrix equations of Paul's method, forward and backward."),
    Command("Geometric", "poses", "Compute the poses of a platform at given motor positions.", (ROBOT,), (OUTPUT,),
            gives="numbers", function=f"{COMPOSED}poses", needs="platform", numbers="geometry"),
    Command("Geometric", "transform", "Transformation matrix iTj in expanded form.", (ROBOT, "i", "j"),
            (Option("also", "pairs"),), function=f"{COMPOSED}transform", needs="no platform"),

    Command("Kinematic", "accelerations", "Linear and angular accelerations of all links."),
    Command("Kinematic", "contact_kinematics", "Constraints of feet and wheels on the ground, and the rates that they "
            "admit.", needs="contacts"),
    Command("Kinematic", "determinant", "Determinant of a Jacobian in factors. The zeros of the factors are the "
            "singular configurations.", (ROBOT, "link"), (OUTPUT, FACTORS, AT), ("modes",), gives="solution",
            function="jacobian", then="determinant", needs="no platform"),
    Command("Kinematic", "inverse_jacobian", "Inverse of a square Jacobian (of a parallel robot: J_p).",
            (ROBOT, "link"), (Option("rows", "numbers", needed="not square"),), function="jacobian", then="inverse",
            needs="square"),
    Command("Kinematic", "inverse_kinematics", "Joint velocities for a velocity of a link, by damped least squares. "
            "For joint positions see inverse-geometry.", (ROBOT, "link"), then="model"),
    Command("Kinematic", "jacobian", "Jacobian matrix of a link (of a parallel robot: J_p^-1).", (ROBOT, "link")),
    Command("Kinematic", "jdot_qdot", "Product of the time derivative of the Jacobian and the joint velocities.",
            (ROBOT, "link")),
    Command("Kinematic", "loop_kinematics", "Constraint equations of the loops of a closed robot.", (ROBOT,),
            (Option("solution", "flag", "Solve the equations for the passive joints: W.", use="method"),),
            needs="loops"),
    Command("Kinematic", "manipulability", "Manipulability sqrt(det(J J^T)) of a frame."),
    Command("Kinematic", "operational_jacobian", "Operational coordinates of a link and their Jacobian.",
            (ROBOT, "link")),
    Command("Kinematic", "singularity_free", "Prove that no pose of a box is singular, by interval arithmetic.",
            (ROBOT,), (*_RANGES, OUTPUT), ("pose",), gives="text", one_of=_PLACE,
            needs="one platform", numbers="geometry"),
    Command("Kinematic", "singularities", "Find the singular poses of a parallel robot along a path.",
            (ROBOT, "path"), (_plotted("Plot the measures to this .svg, .png or .html file."), OUTPUT), gives="text",
            needs="platform", numbers="geometry"),
    Command("Kinematic", "velocities", "Linear and angular velocities of all links."),
    Command("Kinematic", "workspace", "Compute which poses of a grid a parallel robot reaches, and its dexterity.",
            (ROBOT,),
            (*_AXES, "workspace: x y z roll pitch yaw limits modes length cones clearance margin efforts orientations",
             Option("wrenches", "quantities", "Wrenches that the motors must balance: 6 numbers each.",
                    metavar="FX,FY,FZ,CX,CY,CZ"),
             _saved("write", "Write the grid to this .csv or .vtk file, or the surface to this .stl file."),
             _plotted("Plot the workspace to this .svg, .png or .html file."),
             Option("quantity", "text", "Quantity to plot.", use="with", target="plot", choices=(
                 "dexterity", "type1", "type2", "stiffness", "force", "isotropy", "surface")), OUTPUT),
            gives="numbers", function=f"{COMPOSED}workspace", one_of=_PLACE,
            needs="one platform", numbers="geometry"),
    Command("Kinematic", "workspace_volume", "Compute the volume of a workspace with a proven bound of its error.",
            (ROBOT,), (*_RANGES, OUTPUT), ("pose",), gives="text", one_of=_PLACE,
            needs="one platform", numbers="geometry"),

    Command("Dynamic", "achievable_accelerations", "Joint accelerations that motors of limited torque achieve.",
            (ROBOT,),
            (replace(MOTOR, target="limits"),
             "achievable_accelerations: others method base_parameters"),
            function=f"{COMPOSED}achievable_accelerations", needs="independent joints"),
    Command("Dynamic", "base_velocity", "Velocity of a floating base from the motion of the joints and the momentum.",
            needs="floating base"),
    Command("Dynamic", "bias_torques", "Centrifugal, Coriolis and gravity torques H."),
    Command("Dynamic", "cable_tensions", "Tensions of the cables that hold a platform at rest, within bounds.",
            (ROBOT,), (OUTPUT,), gives="numbers", function=f"{COMPOSED}cable_tensions", needs="platform",
            numbers="all"),
    Command("Dynamic", "centroidal_momentum", "Momentum about the center of mass, its matrix and the center of mass."),
    Command("Dynamic", "compare_formulations", "Count the operations of formulations of the literature: Uicker-Kahn, "
            "Hollerbach, Silver, Luh and this program.", (ROBOT,), (OUTPUT,), ("values",), gives="text",
            function="formulations.compare"),
    Command("Dynamic", "coriolis_matrix", "Matrix C, where C(q, qd) qd are the centrifugal and Coriolis torques.",
            more=(TREE,)),
    Command("Dynamic", "derivation", "Derive a model in steps: dynamics, geometry, Jacobian, base parameters, loops.",
            (ROBOT,), (OUTPUT,), gives="text", needs="no platform"),
    Command("Dynamic", "direct_dynamics", "Direct dynamic model: joint accelerations from torques."),
    Command("Dynamic", "energy", "Kinetic, gravitational and elastic energy, and the powers that change them."),
    Command("Dynamic", "gravity_torques", "Gravity torques Q."),
    Command("Dynamic", "inertia_matrix", "Inertia matrix A."),
    Command("Dynamic", "inverse_dynamics", "Inverse dynamic model: motor torques from positions, velocities and "
            "accelerations."),
    Command("Dynamic", "lagrange", "Matrices A, B, C and Q of the Lagrange model.",
            extensions={"customized": "lag", "expanded": "Elag"}, more=(TREE,)),
    Command("Dynamic", "state_derivative", "Motion of the robot as one model x' = f(x, tau)."),
    Command("Dynamic", "linearize", "Linear model about a state: matrices A, B, C and D.", (ROBOT,),
            (Option("friction", "friction", "Friction: yes (as described; Coulomb friction is then constant), no, or "
                    "smooth (tanh in place of the sign of velocities).", default="yes"),), leave=("at",)),
    Command("Dynamic", "modified_newton_euler", "Inertia matrix and bias torques in one recursion.", more=(TREE,)),

    Command("Identification", "base_parameters", "Base inertial parameters and how they are grouped.", (ROBOT,),
            (_saved("write", "Write the robot with its base parameters to this file.", "robot"), OUTPUT),
            gives="text", extensions={"symbolic": "regp", "numeric": "Nreg"}),
    Command("Identification", "calibrate", "Estimate the geometric errors of a robot from measured poses, positions or "
            "other measurements of a target.",
            (ROBOT, Argument("data", "file", "A .csv file with one line per posture: columns q1, q2, ... or joint "
                             "names, and x, y, z, roll, pitch, yaw or other measured values.")),
            (Option("base", "pose"),
             Option("report", "file", "Write an HTML report with tables and plots to this file.", use="file",
                    written=True),
             _saved("table", "Write the table of errors to this .csv, .tex or .txt file."),
             _saved("write", "Write the corrected robot to this file.", "robot"), OUTPUT), gives="text",
            numbers="geometry"),
    Command("Identification", "calibration_parameters", "Geometric parameters that a calibration identifies from a "
            "measurement, and how they are grouped.", (ROBOT,),
            (Option("base", "pose"), _saved("write", "Write the table to this .csv, .tex or .txt file."), OUTPUT),
            gives="text", function="geometric_parameters", numbers="geometry"),
    Command("Identification", "calibration_postures", "Choose measurement postures that determine the geometric "
            "parameters well.", (ROBOT,),
            (Option("base", "pose"), Option("pool", "number"),
             _saved("write", "Write the postures to this .csv file."), OUTPUT), gives="text", numbers="geometry",
            needs="independent motors"),
    Command("Identification", "dynamic_identification", "Regressor D of the dynamic model: the torques are D K."),
    Command("Identification", "energy_identification", "Energy functions h of the energy identification model."),
    Command("Identification", "filtered_identification", "Matrices D1 and D2 of the filtered dynamic model."),
    Command("Identification", "identify", "Identify inertial parameters, friction and offsets from logs of motions.",
            (ROBOT, "log"),
            (FILES, replace(FILES, name="judge"), "identify: method model friction", FRICTION,
             *READING, "Drive: ratio gain",
             Option("essential", "flag", "Keep only the essential parameters.", use="method"),
             Option("bootstrap", "flag", "Estimate standard deviations by block bootstrap.", use="method"),
             Option("consistent", "flag", "Make the inertias of the links physically consistent.", use="method"),
             Option("report", "texts", "Write an HTML report with tables and plots to this file.", use="method",
                    metavar="FILE", written=True),
             _saved("write", "Write the identified robot to this file.", "robot"),
             _saved("table", "Write the parameters to this .csv, .tex or .txt file."), OUTPUT),
            gives="text", function=f"{COMPOSED}identify", numbers="geometry"),
    Command("Identification", "identify_drives", "Identify the gains of the drives from logs without and with a known "
            "mass.", (ROBOT, "free", "loaded"),
            ("identify_drives: friction", Option("friction", "terms"), *READING, "Drive: ratio", OUTPUT),
            gives="text", function=f"{COMPOSED}identify_drives", numbers="geometry"),
    Command("Identification", "identify_payload", "Identify mass, first moments and inertia of a payload.",
            (ROBOT, "log", "loaded"),
            (FILES, replace(FILES, name="also_loaded"), "identify: method model friction", FRICTION,
             *READING, "Drive: ratio gain", _saved("table", "Write the parameters to this .csv, .tex or .txt file."),
             OUTPUT), gives="text", function=f"{COMPOSED}identify_payload", numbers="geometry"),
    Command("Identification", "power_identification", "Time derivatives of the energy functions: the power "
            "identification model."),

    Command("Workbench", "excite", "Find a motion within limits along which the parameters are identified well.",
            (ROBOT,),
            (Option("limits", "file", needed="no limits"),
             _saved("write", "Write a table of the motion to this .csv file."),
             Option("plot", "texts", "Write an HTML page with plots to this file.", use="method", metavar="FILE",
                    written=True), OUTPUT),
            gives="text", function="exciting_trajectory", numbers="all"),
    Command("Workbench", "study", "Evaluate a function at many joint positions.",
            (Argument("function", "text", "Function to evaluate: manipulability, singularity or workspace."),
             Argument("samples", "text", "A grid such as t2=-2:2:50,t3=0:1:11, or a number of random positions."),
             ROBOT),
            ("manipulability: link task tool", Option("task", "text", choices=("all", "position", "rotation")),
             Option("fix", "values", target="at"), Option("workers", "text", metavar="NUMBER"),
             Option("cluster", "text", metavar="ADDRESS"), Option("path", "file", metavar="FOLDER", written=True),
             _saved("write", "Write the results to this .npz file."),
             _plotted("Plot the results to this .svg, .png or .html file."), OUTPUT),
            ("robots", "vectorized", "paired", "chunk"), gives="text", needs="no platform", numbers="geometry"),
    Command("Workbench", "adaptive_control", "Adaptive control law, which estimates the inertial parameters."),
    Command("Workbench", "bounds", "Compute guaranteed bounds of the outputs of a model and of their rounding errors.",
            (ROBOT,), (RANGE, "Model.bounds: ranges boxes", OUTPUT), gives="text", function=f"{COMPOSED}bounds",
            numbers="all"),
    Command("Workbench", "computed_torque", "Computed torque control: inverse dynamic model with a PD law."),
    Command("Workbench", "feedforward", "Feedforward torques of the desired motion with a PD law.",
            needs="independent joints"),
    Command("Workbench", "fixed_point", "Choose formats of fixed-point numbers for which a model never overflows.",
            (ROBOT,), (RANGE, "Model.fixed_point: word ranges boxes", OUTPUT), gives="text",
            function=f"{COMPOSED}fixed_point", numbers="all"),
    Command("Workbench", "force_ellipsoid", "Ellipsoid of the forces that a link can exert within torque limits."),
    Command("Workbench", "impedance_control", "Impedance control: springs and dampers between a link and a desired "
            "pose."),
    Command("Workbench", "momentum_observer", "Momentum observer: estimates external torques, such as those of a "
            "collision."),
    Command("Workbench", "motor_loads", "Compute torque, speed and power of each motor along a motion, and choose "
            "motors.", (ROBOT, Argument("trajectory", "file", "A .csv file with columns t, q1, ... and optionally "
                                        "qd1, ..., qdd1, ....")),
            (Option("drives", "quantities", "Gear ratios: one for all joints or one per joint."),
             _saved("write", "Write torques and speeds over time to this .csv file."),
             OUTPUT), ("duration",), gives="text", numbers="all"),
    Command("Workbench", "operational_control", "Decoupling control of a link in operational space."),
    Command("Workbench", "pd_gravity", "PD control with gravity compensation."),
    Command("Workbench", "precision", "Measure the rounding errors of a model in double and single precision.",
            (ROBOT,),
            (RANGE,
             "Model.precision: ranges samples tolerance", OUTPUT),
            gives="text", function=f"{COMPOSED}precision", numbers="all"),
    Command("Workbench", "predictive_control", "Computed torque control with the model evaluated at the desired "
            "motion.", needs="independent joints"),
    Command("Workbench", "resources", "Count the executed instructions of a model on a processor, and bound its time.",
            (ROBOT,), ("Model.resources: target precision", OUTPUT), gives="text", function=f"{COMPOSED}resources"),
    Command("Workbench", "simulate", "Simulate the motion of a robot under torques or a controller.", (ROBOT,),
            (Option("q", "quantities", "Initial joint positions in rad or m. Default: zero, or the reference position.",
                    metavar="Q1,..", label="Joint positions", needed="no reference"),
             Option("qd", "quantities", metavar="QD1,..", label="Joint velocities"),
             Option("torque", "quantities", "Constant motor torques in N m or forces in N. Default: zero.",
                    metavar="TAU1,.."),
             CONTROLLER,
             Option("reference", "followed", "Desired motion of the controller: a position Q1,.. or a .csv file with "
                    "columns t, q1, ..., qd1, ...."),
             Option("motion", "file", "Given motion of the joints of a robot on a floating base, which moves freely: a "
                    ".csv file with columns t, q1, ..., qd1, ..., qdd1, ...."),
             Option("method", "text", default="rk4", choices=_methods),
             Option("disturbance", "quantities", metavar="TAU1,.."), MOTOR,
             Option("actuators", "flag", "Apply the limits of torque and speed in the description."),
             STOPS, Option("bristles", "quantities", metavar="STIFFNESS,DAMPING"),
             Option("base", "quantities", metavar="X,Y,Z,W,X,Y,Z"),
             Option("base_velocity", "quantities", metavar="WX,.."),
             _saved("write", "Write the samples to this .csv or .npz file."),
             Option("plot", "file", "Plot the samples to this .svg or .html file.", use="file", written=True),
             Option("animate", "file", "Write an animation to this .html, .gif or .png file.", use="file",
                    written=True), OUTPUT),
            gives="text", numbers="all"),
    Command("Workbench", "cartesian_trajectory", "Trajectory of a frame along lines and arcs between poses.",
            (Argument("poses", "file", "A .csv or .json file of poses."),),
            (_saved("write", "Write a table of the motion to this .csv file."), OUTPUT), ("via",), gives="text"),
    Command("Workbench", "joint_trajectory", "Trajectory of the joints through positions: polynomials, profiles within "
            "limits, splines.",
            (ROBOT, Argument("points", "file", "A .csv file with columns t, q1, ...: the positions.")),
            (_saved("write", "Write a table of the motion to this .csv file."),
             Option("plot", "texts", "Plot the motion to this .svg or .html file.", use="method", metavar="FILE",
                    written=True), OUTPUT),
            gives="text"),
    Command("Workbench", "time_optimal_motion", "Compute the fastest motion along a path within limits of velocity, "
            "acceleration and torque.",
            (ROBOT, Argument("path", "file", "A .csv file with columns t, q1, ...: the positions that "
                                        "the path passes.")),
            (_saved("write", "Write a table of the motion to this .csv file."),
             Option("plot", "texts", "Plot the motion to this .svg or .html file.", use="method", metavar="FILE",
                    written=True), OUTPUT),
            gives="text", numbers="all"),
    Command("Workbench", "trajectory_generator", "Model of a trajectory whose start, goal and limits are inputs."),

    Command("Optimizer", "optimize", "Read a model from a file, select outputs, reduce its operations and write it in "
            "any language.", (Argument("file", "file", "File of a model: listing, Fortran, Mathematica or Maple."),),
            (SELECT, replace(OPTIMIZE, name="level", target="optimize", default="1"), GOAL, BUDGET, OUTPUT, LANGUAGE),
            ("path", "language", "inputs", "outputs"), function="read_model"),
    Command("Optimizer", "verify", "Prove that generated code computes the model of a robot. The exit code is 0 if it "
            "does.", (Argument("path", "file", "File of a model: listing, C, Fortran, MATLAB, Mathematica or Maple."),),
            (Option("against", "text", "Robot whose model the code should compute: a description or a name of the "
                    "library.", metavar="ROBOT"), OUTPUT), gives="text", then="confirmed"),
)  # fmt: skip
_IMMEDIATE = ("robots", "robot", "description", "file", "nothing")  #: results of commands that need no time limit


def _completed(row: Command) -> Command:
    """Return the row with the options of its kind: for models, for commands with a robot, and the time limit."""
    kept = (INPUTS,) if row.gives == "model" or row.name in ("build", "bundle", "fmu", "ros2") else ()
    of_models = MODEL if row.gives == "model" and row.takes_robot else ()
    changes = row.takes_robot and row.gives not in ("robot", "nothing")
    of_robots = (SET, ADD_FRAME, *kept, XACRO, FLOATING) if changes else ()
    limit = () if row.gives in _IMMEDIATE or row.name == "explain" else (TIME_LIMIT,)
    return replace(row, common=(*of_models, *limit, *of_robots))


COMMANDS = {row.name: _completed(row) for row in _ROWS}  #: commands by name, in the order of the list

"""Elements and attributes of MJCF (MuJoCo 4), and what becomes of each."""

from __future__ import annotations

from robosym.formats.coverage import cover

__all__ = ["MJCF"]

_PLACE = "@pos @quat @axisangle @euler @xyaxes @zaxis"
#: forces of motors are inputs of the models; how a motor makes them does not matter
_MOTOR = (
    "@name @class @group @user @joint @jointinparent @tendon @site @body @refsite @slidersite @cranksite @cranklength "
    "@ctrllimited @ctrlrange @forcelimited @forcerange @actlimited @actrange @lengthrange @gear @dyntype @gaintype "
    "@biastype @dynprm @gainprm @biasprm @actdim @actearly @inheritrange @kp @kv @dampratio @timeconst @area @bias "
    "@diameter @force @fpmax @fvmax @lmax @lmin @range @scale @tausmooth @vmax @gain @delay @interp @nsample @input "
    "@ffrange @velrange @posrange @imax @ki @slewmax @controller @cogging @inductance @lugre @motorconst @nominal "
    "@resistance @saturation @thermal"
)

#: by element; those of `default` are looked at where a class is used
MJCF = {
    "mujoco": cover(
        "@model compiler option default worldbody equality actuator tendon",
        "size statistic visual asset contact sensor keyframe custom extension",  # plugins are reported where used
    ),
    "compiler": cover(
        "@angle @autolimits @balanceinertia @boundinertia @boundmass @coordinate @eulerseq @inertiafromgeom "
        "@inertiagrouprange @settotalmass",
        "@assetdir @conflict @convexhull @discardvisual @exactmeshinertia @fitaabb @fusestatic @meshdir @passthrough "
        "@savecanonical @savecompiled @saveinertial @strippath @texturedir @usethread lengthrange",
        at_alignfree="false",
    ),
    "option": cover(
        "@gravity flag",
        "@actuatorgroupdisable @apirate @ccd_iterations @ccd_tolerance @collision @cone @impratio @integrator "
        "@iterations @jacobian @ls_iterations @ls_tolerance @magnetic @mpr_iterations @mpr_tolerance "
        "@noslip_iterations @noslip_tolerance @o_friction @o_margin @o_solimp @o_solref "
        "@sdf_initpoints @sdf_iterations @sleep_tolerance @solver @timestep @tolerance @wind",
        at_density="0", at_viscosity="0",
    ),
    "flag": cover(
        "@gravity @damper @spring @frictionloss @equality @constraint @limit @passive",
        "@actuation @autoreset @clampctrl @contact @diagexact @energy @eulerdamp @filterparent @fwdinv @invdiscrete "
        "@ipc @island @midphase @multiccd @nativeccd @override @refsafe @sensor @sleep @speculative @warmstart",
    ),
    "body": cover(
        f"@name @childclass @mocap @gravcomp {_PLACE} body inertial joint freejoint geom site frame",
        "@fuse @simple @sleep @user camera light",
    ),
    "inertial": cover(f"@mass @diaginertia @fullinertia {_PLACE}"),
    "joint": cover(
        "@name @class @type @pos @axis @armature @damping @frictionloss @limited @range @ref @stiffness "
        "@actuatorfrcrange @actuatorfrclimited",
        "@group @user @margin @solimpfriction @solimplimit @solreffriction @solreflimit @springref @springyield "
        "@actuatorgravcomp",
        at_springdamper="0",
    ),
    "freejoint": cover("@name", "@group", at_align="false"),
    "geom": cover(
        f"@name @class @type @size @fromto @mass @density @group @mesh @shellinertia {_PLACE}",
        "@adhesion @castshadow @conaffinity @condim @contype @fitscale @fluidcoef @fluidshape @friction @gap @hfield "
        "@margin @material @priority @rgba @solimp @solmix @solref @surfacevel @user",
    ),
    "site": cover(f"@name @class @fromto {_PLACE}", "@group @material @mesh @rgba @size @type @user"),
    "equality": cover(
        "@name @class @active @body1 @body2 @site1 @site2 @anchor @relpose @joint1 @joint2 @polycoef",
        "@solimp @solref @torquescale",
    ),
    "actuator": cover("", _MOTOR, at_armature="0", at_damping="0"),
}  # fmt: skip

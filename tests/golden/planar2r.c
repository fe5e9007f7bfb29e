/*
 * planar2r: Inverse dynamic model: Newton-Euler method
 *
 * robosym claims no rights on generated files.
 *
 * Angles in rad, lengths in m, masses in kg, forces in N, moments in N m; matrices row by row.
 *
 * in  q[2] joint positions (rad, m)
 *       t1 t2
 * in  qd[2] joint velocities (rad/s, m/s)
 *       QP1 QP2
 * in  qdd[2] joint accelerations (rad/s^2, m/s^2)
 *       QDP1 QDP2
 * out tau[2] motor torques and forces (N m, N)
 *       GAM1 GAM2
 *
 * Number of operations: 13 '+' or '-', 16 '*' or '/', 4 functions
 */

#include <math.h>

#ifndef ROBOSYM_ARRAY
#ifdef __cplusplus
#define ROBOSYM_ARRAY(n) n
#else
#define ROBOSYM_ARRAY(n) static restrict n
#endif
#endif

void planar2r_dyn(const double q[ROBOSYM_ARRAY(2)],
    const double qd[ROBOSYM_ARRAY(2)],
    const double qdd[ROBOSYM_ARRAY(2)],
    double tau[ROBOSYM_ARRAY(2)]);

void planar2r_dyn(const double q[ROBOSYM_ARRAY(2)],
    const double qd[ROBOSYM_ARRAY(2)],
    const double qdd[ROBOSYM_ARRAY(2)],
    double tau[ROBOSYM_ARRAY(2)])
{
    const double t1 = q[0];
    const double t2 = q[1];
    const double QP1 = qd[0];
    const double QP2 = qd[1];
    const double QDP1 = qdd[0];
    const double QDP2 = qdd[1];
    const double C1 = cos(t1);
    const double S1 = sin(t1);
    const double C2 = cos(t2);
    const double S2 = sin(t2);
    const double DV331 = -QP1*QP1;
    const double VP11 = 9.81*S1;
    const double VP21 = 9.81*C1;
    const double NO31 = 0.3333333333333333*QDP1;
    const double W32 = QP1 + QP2;
    const double WP32 = QDP1 + QDP2;
    const double DV332 = -W32*W32;
    const double VSP12 = DV331 + VP11;
    const double VSP22 = QDP1 + VP21;
    const double VP12 = C2*VSP12 + S2*VSP22;
    const double VP22 = C2*VSP22 - S2*VSP12;
    const double F12 = VP12 + 0.5*DV332;
    const double F22 = VP22 + 0.5*WP32;
    const double NO32 = 0.3333333333333333*WP32;
    const double N32 = NO32 + 0.5*VP22;
    const double SDJ22 = S2*F12 + C2*F22;
    const double N31 = NO31 + 4.905*C1 + N32 + SDJ22;
    tau[0] = N31;
    tau[1] = N32;
}

"""Identify the parameters of an arm, with their standard deviations, from a log of a motion."""

import numpy as np

import robosym as rs

arm = rs.loads(
    """
name: arm
frames:
  - {theta: q1}
  - {d: 0.5, theta: q2}
links:
  1: {XX: 0.01, YY: 0.8, ZZ: 0.8, MX: 1.5, M: 4, FV: 1.2, FS: 0.8}
  2: {XX: 0.01, YY: 0.3, ZZ: 0.3, MX: 0.6, M: 2, FV: 0.6, FS: 0.5}
gravity: [0, -9.81, 0]
""",
    format="yaml",
)  # its values stand for those of the real, unknown arm

random = np.random.default_rng(0)
t = np.arange(0, 12, 0.002)
w = np.array([[1.3, 2.1], [2.9, 3.7]])  # two frequencies per joint
phases = t[:, None, None] * w
q, qd, qdd = np.sin(phases).sum(1), (w * np.cos(phases)).sum(1), -(w**2 * np.sin(phases)).sum(1)
tau = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd) + random.normal(0, 0.2, q.shape)
log = rs.Log(t=t, q=q + random.normal(0, 1e-5, q.shape), tau=tau)
print(log)

motion = rs.prepare(log, cut=10, rate=100, rest=0.02)
found = rs.identify(arm, motion)  # the inertias of its links are treated as unknown
print(found)
print("essential:", ", ".join(found.essential().names))

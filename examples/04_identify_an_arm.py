"""Identify the base parameters of an arm from noisy torques along a random motion."""

import numpy as np

import robosym as rs
from robosym.algebra import evaluate
from robosym.mechanism import DRIVE, INERTIA

real = rs.load("puma560")  # its values stand for those of the real, unknown arm
arm = real.symbolic()  # only the geometry is known

base = rs.base_parameters(arm)
print(f"{len(base.names)} base parameters of {len(base.standard_names)}, for example")
for name in base.names[:3]:
    print(f"  {name} = {base.grouping[name]}")

numbers = {
    f"{field}{j}": evaluate([getattr(link, field)], {})[0]
    for j, link in enumerate(real.links, 1)
    for field in (*INERTIA, *DRIVE)
}
regressor = rs.dynamic_identification(arm, base_parameters=True)
print("operations of the regressor:", regressor.operations)

random = np.random.default_rng(0)
q, qd, qdd = random.uniform(-2, 2, (3, 400, 6))
torques = rs.inverse_dynamics(real).compile()(q=q, qd=qd, qdd=qdd)
measured = torques + random.normal(0, 0.1, torques.shape)
D = regressor.compile()(q=q, qd=qd, qdd=qdd)
estimate, *_ = np.linalg.lstsq(D.reshape(-1, D.shape[-1]), measured.ravel(), rcond=None)

truth = base.values(numbers)
print(f"{'parameter':>10} {'estimated':>10} {'true':>10}")
for name, value in list(zip(regressor.columns, estimate, strict=True))[:8]:
    print(f"{name:>10} {value:10.4f} {truth.get(name, numbers.get(name, np.nan)):10.4f}")

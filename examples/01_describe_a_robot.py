"""Describe a robot in text, look at it, change it, and write it in another format."""

import robosym as rs

TEXT = """
name: elbow
frames:
  - {theta: t1}
  - {alpha: Pi/2, theta: t2}
  - {d: L2, theta: t3}
  - {sigma: 2, d: L3}        # a fixed frame at the tip
links: symbolic
gravity: [0, 0, -9.81]
"""

robot = rs.loads(TEXT, format="yaml")
print(f"{robot.name}: {robot.structure}, joints {robot.tree_joints}, parameters {robot.parameters[:4]} ...")

longer = robot.with_values({"L2": 0.4, "L3": "L2/2 + 0.1"})  # numbers or expressions
print("frame 4 of the changed robot: d =", longer.frame(4).d)

print(robot.dumps("par").splitlines()[0], "... begins the SYMORO+ file")

try:
    rs.loads(TEXT.replace("theta: t3", "theta: t2"), format="yaml")
except rs.Error as error:
    print("a mistake raises an error:", error)

"""Kernels for graphics processors: OpenCL on PoCL over our batch on the same cores, and registers of PTX."""

from __future__ import annotations

import os
import time

import numpy as np
from table import Row, note, print_table, spread_of
from webassembly import robot_with_numbers

import robosym as rs
from robosym.export.gpu.kernel_sources import kernel_source
from robosym.export.gpu.ptx import ptx, resources
from robosym.optimizer.optimize import fastest

STATES, ROUNDS = 1_000_000, 15


def main() -> None:
    import pyopencl as cl

    model = fastest(rs.inverse_dynamics(robot_with_numbers()))
    inputs = np.random.default_rng(1).uniform(-3, 3, (3, STATES, 6))
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, kernel_source(model, "opencl", "arm", "double").text).build(options=["-DEXACT_SIZE"])
    flags, kernel = cl.mem_flags, cl.Kernel(program, "arm")
    given = [cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(array.T)) for array in inputs]
    result, out = cl.Buffer(context, flags.WRITE_ONLY, inputs[0].nbytes), np.empty((STATES, 6))
    call, threads = model.compile(), os.cpu_count() or 1
    theirs, ours = [], []
    for _ in range(ROUNDS):
        begun = time.process_time()  # of all threads: both use all cores, and other programs do not count
        kernel(queue, (STATES,), (64,), np.int32(STATES), *given, result)
        queue.finish()
        then = time.process_time()
        call(*inputs, out=out, threads=threads)
        theirs.append(then - begun)
        ours.append(time.process_time() - then)
    found = np.empty((6, STATES))
    cl.enqueue_copy(queue, found, result)
    error = np.abs(found.T - out).max() / np.abs(out).max()
    device = context.devices[0].name
    print(f"{device}, {threads} threads, {os.getloadavg()[0]:.1f} load; largest relative difference {error:.1e}")
    models = {"rx90": model, "panda_direct_dynamics": fastest(rs.direct_dynamics("panda"))}
    for precision in ("double", "single"):
        for name, (registers, spilled) in resources(ptx(models, precision)).items():
            print(f"PTX, {precision} precision, {name}: {registers} registers, {spilled} bytes spilled")
            note(f"gpu: bytes spilled, {name}, {precision}", spilled)
    print_table("Kernels for graphics processors", [
        Row("OpenCL on PoCL, batch of 1e6, over our batch, processor time", min(theirs) / min(ours), 1.5,
            spread=spread_of([a / b for a, b in zip(theirs, ours, strict=True)])),
        Row("largest relative difference from our batch", float(error), 1e-12),
    ])  # fmt: skip


if __name__ == "__main__":
    main()

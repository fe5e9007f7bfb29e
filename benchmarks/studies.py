"""Measure studies: a manipulability map, and a cluster that loses one of its two workers, against one process."""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from table import Row, print_table

import robosym as rs

CONFIGURATIONS, TASKS, TASK = 1_000_000, 2000, 0.005


def busy(sample: float) -> float:
    """Use the processor for 5 ms."""
    end = time.process_time() + TASK
    while time.process_time() < end:
        pass
    return 2.0 * sample


def waiting(sample: float) -> float:
    """Wait 5 ms; a busy machine does not make this longer."""
    time.sleep(TASK)
    return 2.0 * sample


def deadly(mark: str) -> object:
    def function(sample: float) -> float:
        if sample == TASKS // 3 and not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return busy(sample)

    return function


def manipulability_map() -> float:
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (CONFIGURATIONS, 6))
    robot = rs.load("ur10e")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        rs.study("manipulability", q, robot)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    rows = [Row(f"{CONFIGURATIONS:,} configurations of a UR10e: manipulability, s", manipulability_map(), 1)]
    from distributed import Client, LocalCluster

    samples = np.arange(float(TASKS))
    right = 2.0 * samples
    lost: list[int] = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster, set_as_default=False),
    ):
        address = cluster.scheduler_address
        rs.study(busy, samples[:20], cluster=address)
        ratios = []
        for _ in range(1):
            alone, together = (rs.study(busy, samples, **options).seconds for options in ({}, {"cluster": address}))
            ratios.append(alone / together)
        idle = rs.study(waiting, samples).seconds / rs.study(waiting, samples, cluster=address).seconds
        cores = rs.study(busy, samples, workers=2)
        for options in ({"cluster": address}, {"workers": 2}):
            with tempfile.TemporaryDirectory() as place:
                found = rs.study(deadly(f"{place}/mark"), samples[: TASKS // 2], **options)  # type: ignore[arg-type]
                assert Path(f"{place}/mark").exists()
                lost.append(int((found.values != right[: TASKS // 2]).sum()) + len(found.failures))
    rows += [
        Row("one process over a cluster of 2 workers, 2,000 tasks that wait 5 ms", idle, 1.7, at_least=True),
        Row(
            "one process over a cluster of 2 workers, 2,000 tasks of 5 ms",
            statistics.median(ratios),
            1.7,
            at_least=True,
        ),
        Row("one process over 2 local processes, the same tasks", alone / cores.seconds, 1.7, at_least=True),
        Row("results lost after a worker of the cluster is killed", lost[0], 0),
        Row("results lost after a local process is killed", lost[1], 0),
    ]
    print_table("Studies", rows)


if __name__ == "__main__":
    main()

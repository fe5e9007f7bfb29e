"""Jobs in processes of their own: progress, cancellation, crashes, and results after a restart."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from robosym.app.page.fixing import page_text
from robosym.app.session.jobs import Canceled, Failed, Jobs
from robosym.app.session.requests import Request

HERE = "robosym.app.session.generation"


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    found = Jobs(tmp_path / "jobs.json")
    yield found
    found.close()


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def test_warnings_name_fields_of_the_page(jobs: Jobs, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="base"/><link name="flange"/><link name="tcp"/>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="flange"/><axis xyz="0 0 1"/></joint>'
        '<joint name="f" type="fixed"><parent link="flange"/><child link="tcp"/><origin xyz="0.1 0 0"/></joint></robot>'
    )
    job = jobs.start("jacobian", f"{HERE}:generate", Request("jacobian", str(path)))
    job.future.result(30)
    assert any(page_text(remark).endswith('choose with "Link"') for remark in job.remarks), job.remarks


def test_progress_result_failure_and_cancel(jobs: Jobs, tmp_path: Path) -> None:
    progress: list[str] = []
    jobs.changed = lambda job: progress.append(job.progress)
    request = Request("inverse_dynamics", "scara", {"optimize": "2"})
    job = jobs.start(
        "Inverse dynamics of scara", f"{HERE}:generate", request, again=lambda: {"command": "inverse_dynamics"}
    )
    shown = job.future.result(30)
    assert shown.counts.total > 0 and job.state == "done"
    assert any("operations" in text for text in progress)
    wrong = jobs.start("x", f"{HERE}:generate", Request("inverse_dynamics", "no_such_robot"))
    with pytest.raises(Failed, match="no_such_robot"):
        wrong.future.result(30)
    assert wrong.state == "failed" and "no_such_robot" in wrong.error
    # the same process serves on; a job that sleeps in the middle of anything is ended at once
    request = Request("inverse_dynamics", "gough_stewart", {"optimize": "max"})
    long = jobs.start("long", f"{HERE}:generate", request, again=lambda: {"command": "inverse_dynamics"})
    until(lambda: long.state == "running")
    until(lambda: bool(Jobs(tmp_path / "jobs.json").listed()))
    other = Jobs(tmp_path / "jobs.json")  # as after a kill: what was under way is listed as stopped
    assert [(job.title, job.state, job.again and job.again()) for job in other.listed()] == [
        ("long", "stopped", {"command": "inverse_dynamics"})
    ]
    begun = time.monotonic()
    jobs.cancel(long.number)
    assert long.state == "canceled" and time.monotonic() - begun < 1
    with pytest.raises(Canceled):
        long.future.result(0)
    assert not Jobs(tmp_path / "jobs.json").listed()


def test_job_fails_if_its_process_dies_and_the_next_one_runs(jobs: Jobs) -> None:
    dead = jobs.start("dies", "os:_exit", 3)
    with pytest.raises(Failed):
        dead.future.result(30)
    again = jobs.start("lives", f"{HERE}:level_counts", Request("velocities", "planar2r"), None, "1")
    assert again.future.result(30).total > 0


def test_ignores_damaged_job_list(tmp_path: Path) -> None:
    (tmp_path / "jobs.json").write_text('[{"title": 3}')
    assert not Jobs(tmp_path / "jobs.json").listed()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are looked at by their id")
def test_processes_stop_when_the_page_closes(jobs: Jobs) -> None:
    job = jobs.start("once", f"{HERE}:level_counts", Request("velocities", "planar2r"), None, "")
    job.future.result(30)
    (worker,) = jobs._workers
    assert worker.process.stdin is not None
    worker.process.stdin.close()  # same effect as killing the page
    until(lambda: worker.process.poll() is not None)

"""Compare operation counts of the dynamic models with published ones, and measure the time to generate them."""

from __future__ import annotations

import time
from collections.abc import Callable

from generation import lwr, seconds
from table import Row, print_table

import robosym as rs
from robosym.dynamics import (
    bias_torques,
    coriolis_matrix,
    direct_dynamics,
    formulations,
    inertia_matrix,
    inverse_dynamics,
    lagrange,
    modified_newton_euler,
)
from robosym.mechanism import DRIVE, INERTIA

LENGTHS = {1: "r1", 3: "r3", 5: "r5", 7: "r7"}


def with_symbols(name: str, drives: bool) -> rs.Robot:
    """Return a library arm with ten symbolic inertial parameters per link, with or without rotors and friction."""
    robot = rs.load(name)
    return robot.with_links(
        {n: f"{n}{j}" for n in INERTIA} | {n: f"{n}{j}" if drives else 0 for n in DRIVE} for j in range(1, robot.NL + 1)
    )


def counts(what: str, model: rs.Model, additions: int, multiplications: int) -> list[Row]:
    found = model.operations
    return [Row(f"{what}, +", found.additions, additions), Row(f"{what}, *", found.multiplications, multiplications)]


def operation_counts() -> None:
    plain = lwr({3: "r3", 5: "r5"}, "[GX, GY, GZ]", {7}, acceleration=False, rotors=True)
    full = lwr(LENGTHS, "[0, 0, G3]", set(range(1, 8)), acceleration=True, rotors=True)
    leg, stanford = rs.load("gs_leg"), rs.load("stanford")
    puma, driven = with_symbols("puma560", drives=False), with_symbols("puma560", drives=True)
    torque = inverse_dynamics(puma)
    rows = [
        *counts("LWR inertia matrix, all parameters", inertia_matrix(plain), 212, 260),
        *counts("LWR with r1, r7, wrenches: direct dynamics", direct_dynamics(full), 940, 1174),
        *counts("Gough-Stewart leg: inverse", inverse_dynamics(leg), 109, 99),
        *counts("Gough-Stewart leg: inertia", inertia_matrix(leg), 22, 19),
        *counts("Gough-Stewart leg: bias", bias_torques(leg), 96, 91),
        *counts("Gough-Stewart leg: direct", direct_dynamics(leg), 131, 159),
        *counts("RX90 direct, base parameters", direct_dynamics(rs.load("rx90"), base_parameters=True), 622, 858),
        *counts("Stanford direct, base parameters", direct_dynamics(stanford, base_parameters=True), 536, 728),
        *counts("Puma direct, base parameters", direct_dynamics(driven, base_parameters=True), 701, 948),
        *counts("Puma, all parameters: inertia", inertia_matrix(puma), 268, 325),
        *counts("Puma, all parameters: recursive direct", direct_dynamics(puma), 757, 984),
        *counts("Puma, all parameters: Coriolis matrix", coriolis_matrix(puma), 1537, 1661),
        *counts("Puma, all parameters: derivatives of torque by q, qd", torque.derivative("q", "qd"), 2412, 2603),
    ]
    print_table("Operations by SYMORO+'s rule, offline ones included", rows)


def generation_times() -> None:
    arm = lwr(LENGTHS, "[0, 0, G3]", set(range(1, 8)), acceleration=True, rotors=True)
    models: dict[str, Callable[[], object]] = {
        "inertia matrix": lambda: inertia_matrix(arm),
        "bias torques": lambda: bias_torques(arm),
        "direct dynamics, recursive": lambda: direct_dynamics(arm),
        "direct dynamics, Cholesky": lambda: direct_dynamics(arm, route="cholesky"),
        "Coriolis matrix": lambda: coriolis_matrix(arm),
        "Lagrange, customized": lambda: lagrange(arm),
        "modified Newton-Euler": lambda: modified_newton_euler(arm),
    }
    rows = [Row(f"{what} [ms]", 1e3 * seconds(job, 5), 100) for what, job in models.items()]
    inverse, direct = inverse_dynamics(arm), direct_dynamics(arm)
    for what, model in (("inverse", inverse), ("direct", direct)):
        start = time.perf_counter()
        model.derivative("q", "qd")
        rows.append(Row(f"derivatives of {what} dynamics by q and qd [s]", time.perf_counter() - start, 1))
    print_table("Generation for a 7R arm (KUKA LWR)", rows)


def comparison_of_formulations() -> None:
    comparison = formulations.compare(rs.load("puma560"))
    print("\nFormulations of inverse dynamics on six links, general algorithms\n")
    print(comparison)
    print()
    rows = [
        Row("Uicker-Kahn, operations", comparison["Uicker-Kahn"].total, 100_000, at_least=True),
        Row("Hollerbach 4x4 over Luh: about 5", comparison.ratio("Hollerbach, recursive 4x4"), 5.5),
        Row("Hollerbach 3x3 over Luh: about 2.5", comparison.ratio("Hollerbach, recursive 3x3"), 2.75),
        Row("Silver over Luh", comparison.ratio("Silver"), 1),
    ]
    print_table("Ratios of the literature", rows)


def main() -> None:
    operation_counts()
    generation_times()
    comparison_of_formulations()


if __name__ == "__main__":
    main()

"""Instructions of RX90 inverse dynamics on a Cortex-M4F in single precision, counted by qemu: object file over C."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from table import Row, note, print_table

import robosym as rs
from robosym.optimizer.optimize import fastest

CALLS, STATES = 1000, 8
TICK = 40  #: instructions per tick of the timer of the board (25 MHz) at 1 ns per instruction

BOARD = """
MEMORY {
  FLASH (rx) : ORIGIN = 0x0, LENGTH = 4M
  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M
}
ENTRY(reset)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
  .ARM.exidx : { *(.ARM.exidx*) } > FLASH
  .data : { *(.data*) } > RAM
  .bss : { *(.bss*) *(COMMON) } > RAM
  end = .; _end = .; __end__ = .;
  __StackTop = ORIGIN(RAM) + LENGTH(RAM); __stack = __StackTop;
}
"""
MAIN = """
#include <stdint.h>
#include <stdio.h>
#include "arm.h"
extern int fflush(FILE *);
extern void _exit(int);
extern void initialise_monitor_handles(void);
extern uint32_t __StackTop;
void reset(void);
__attribute__((section(".vectors"), used)) void *const vectors[2] = {&__StackTop, (void *)reset};
#define TIMER ((volatile uint32_t *)0x40000000)
static const NUMBER given[%d][18] = {%s};
void reset(void)
{
    static NUMBER tau[6];
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* switches the floating-point unit on, where there is one */
    __asm volatile("dsb; isb");
    initialise_monitor_handles();
    TIMER[2] = 0xffffffff; TIMER[1] = 0xffffffff; TIMER[0] = 1;
    const uint32_t start = TIMER[1];
    for (int k = 0; k < %d; ++k) arm(given[k %% %d], given[k %% %d] + 6, given[k %% %d] + 12, tau);
    printf("%%lu\\n", (unsigned long)(start - TIMER[1]));
    fflush(stdout);
    _exit(0);
}
"""
COMMON = "-mthumb -DNUMBER=float -O2 --specs=rdimon.specs -T board.ld -nostartfiles"
FLAGS = f"-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 {COMMON}"
WITHOUT_FLOATS = f"-mcpu=cortex-m0plus {COMMON}"
EMULATOR = "qemu-system-arm -M {} -icount shift=0 -nographic -monitor none -serial none"


def instructions(source: str, folder: Path, flags: str = FLAGS, board: str = "mps2-an386 -cpu cortex-m4") -> float:
    """Return the instructions per call of the function in an object or source file."""
    command = ["arm-none-eabi-gcc", *flags.split(), "main.c", source, "-lm", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    run = [*EMULATOR.format(board).split(), "-semihosting-config", "enable=on,target=native", "-kernel", "main"]
    done = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True, timeout=60)
    return int(done.stdout) * TICK / CALLS


def main() -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        assert shutil.which(program), f"expected {program}"
    robot, rng = rs.load("rx90"), np.random.default_rng(1)
    inputs = rs.inverse_dynamics(robot).inputs
    names = [name for group, found in inputs.items() if group not in ("q", "qd", "qdd") for name in found]
    model = fastest(rs.inverse_dynamics(robot.with_values({name: float(rng.uniform(0.1, 1)) for name in names})))
    rows = ", ".join("{" + ", ".join(f"{x:.6f}f" for x in row) + "}" for row in rng.uniform(-3, 3, (STATES, 18)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.build("cortex-m4f", folder, name="arm")
        model.write(folder / "arm.c", name="arm", precision="single")
        (folder / "board.ld").write_text(BOARD)
        (folder / "main.c").write_text(MAIN % (STATES, rows, CALLS, STATES, STATES, STATES))
        own, emitted = (instructions(source, folder) for source in ("arm.o", "arm.c"))
        model.build("cortex-m0plus", folder, name="arm")
        board = (WITHOUT_FLOATS, "mps2-an385 -cpu cortex-m3")  # runs the code of a Cortex-M0+, too
        single = instructions("arm.o", folder, *board)
        model.build("cortex-m0plus", folder, name="arm", precision="fixed")
        fixed = instructions("arm.o", folder, board[0].replace("=float", "=int32_t"), board[1])
    title = "Inverse dynamics of the RX90 on a Cortex-M4F"
    print_table(
        title, [Row("instructions of the object file over gcc -O2 of the emitted C, times", own / emitted, 1.3)]
    )
    note("instructions of the object file", own, table=title)
    note("instructions of the emitted C", emitted, table=title)
    note("Cortex-M0+, instructions in single precision", single, table=title)
    note("Cortex-M0+, instructions in fixed-point arithmetic", fixed, table=title)
    print(f"Cortex-M0+, instructions per call: {single:.0f} (single precision), {fixed:.0f} (fixed point)")
    print(f"instructions per call: {own:.0f} (object file), {emitted:.0f} (emitted C)")


if __name__ == "__main__":
    main()

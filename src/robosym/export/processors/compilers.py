"""LLVM for other processors: a module of IR becomes an object file or assembly text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from robosym.runtime.engine import llvm

__all__ = ["Processor", "compiled"]


@dataclass(frozen=True)
class Processor:
    """A processor as LLVM describes it."""

    triple: str
    cpu: str = "generic"
    features: str = ""
    abi: str = ""

    @property
    def shared(self) -> bool:
        """Whether programs and libraries of the processor are position-independent."""
        return any(system in self.triple for system in ("linux", "apple"))


@cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def compiled(text: str, processor: Processor, assembly: bool = False) -> Any:
    """Return the object file of a module of IR as bytes, or its assembly as text."""
    _initialize()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_triple(processor.triple).create_target_machine(
        cpu=processor.cpu, features=processor.features, opt=2, reloc="pic" if processor.shared else "static",
        codemodel="default", abiname=processor.abi,
    )  # fmt: skip
    module.triple, module.data_layout = processor.triple, str(target.target_data)
    for function in module.functions:  # nothing throws
        function.add_function_attribute("nounwind")
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(module, passes)
    return target.emit_assembly(module) if assembly else target.emit_object(module)

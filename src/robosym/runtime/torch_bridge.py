"""Models as PyTorch functions on the processor: machine code with exact derivatives and batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

from robosym.errors import InputError
from robosym.model import Model
from robosym.model.optional import library
from robosym.runtime.differentiable import Differentiable

__all__ = ["compiled_for_torch"]


def compiled_for_torch(model: Model) -> Callable[..., Any]:
    """Return a function of tensors whose last axis is the group's, computed by machine code on the processor."""
    torch = library("torch", "torch")
    call, operation = Differentiable(model), _operation()

    def function(*tensors: Any, **named: Any) -> Any:
        given = {**dict(zip(model.inputs, tensors, strict=False)), **named}
        missing = [group for group in model.inputs if group not in given]
        if missing or len(tensors) > len(model.inputs) or set(given) - set(model.inputs):
            raise InputError(f"expected the arguments {', '.join(model.inputs)}, found {', '.join(given) or 'none'}")
        ready = [torch.as_tensor(given[group]) for group in model.inputs]
        for (group, names), tensor in zip(model.inputs.items(), ready, strict=True):
            if tuple(tensor.shape[-1:]) != (len(names),):
                shape = tuple(tensor.shape)
                raise InputError(f"{group}: expected a last axis of length {len(names)}, found shape {shape}")
            if tensor.device.type != "cpu":
                found = tensor.device
                raise InputError(f"{group}: expected a tensor on the processor, found one on {found}: use .cpu()")
        kind = torch.float64
        if ready and all(tensor.dtype in (torch.float32, torch.float16, torch.bfloat16) for tensor in ready):
            kind = torch.float32
        found = operation.apply(call, *(tensor.to(kind) for tensor in ready))
        return found[0] if len(found) == 1 else found

    return function


def _summed(slope: Any, wanted: Sequence[int]) -> Any:
    """Return a derivative with the shape of its argument, which was broadcast along leading axes."""
    extra = slope.ndim - len(wanted)
    if extra:
        slope = slope.sum(dim=tuple(range(extra)))
    repeated = tuple(k for k, size in enumerate(wanted) if size == 1 != slope.shape[k])
    return slope.sum(dim=repeated, keepdim=True) if repeated else slope


def _flat(tensor: Any, shape: tuple[int, ...]) -> Any:
    """Return the entries of a matrix along one axis, as an input group has them."""
    return tensor if len(shape) == 1 else tensor.reshape(*tensor.shape[: -len(shape)], prod(shape))


@cache
def _operation() -> Any:
    """Return the autograd function; PyTorch is imported on first use."""
    torch = library("torch", "torch")

    class ModelCall(torch.autograd.Function):  # type: ignore[name-defined, misc]
        """A call of a model; its derivatives are calls of other models."""

        @staticmethod
        def forward(call: Differentiable, *tensors: Any) -> Any:
            found = call.compiled(*(tensor.detach().numpy() for tensor in tensors))
            parts = found if len(call.shapes) > 1 else (found,)
            return tuple(torch.as_tensor(part) for part in parts)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.call = inputs[0]
            ctx.save_for_backward(*inputs[1:])
            ctx.save_for_forward(*inputs[1:])

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            call, tensors = ctx.call, ctx.saved_tensors
            wanted = [k for k in range(len(tensors)) if ctx.needs_input_grad[k + 1]]
            against = call.against([call.groups[k] for k in wanted])
            own = dict(zip(call.groups, tensors, strict=True))
            given = [own[group] for group in against.groups if group in own]
            flat = [_flat(weight, shape) for weight, shape in zip(weights, call.shapes, strict=True)]
            slopes = ModelCall.apply(against, *given, *flat)
            found: list[Any] = [None] * (len(tensors) + 1)
            for k, slope in zip(wanted, slopes, strict=True):
                found[k + 1] = _summed(slope, tensors[k].shape)
            return tuple(found)

        @staticmethod
        def jvp(ctx: Any, _: Any, *directions: Any) -> Any:
            call, tensors = ctx.call, ctx.saved_tensors
            moving = [k for k, direction in enumerate(directions) if direction is not None]
            along = call.along([call.groups[k] for k in moving])
            return ModelCall.apply(along, *tensors, *(directions[k] for k in moving))

        @staticmethod
        def vmap(info: Any, axes: Any, call: Differentiable, *tensors: Any) -> Any:
            moved = [t if axis is None else t.movedim(axis, 0) for t, axis in zip(tensors, axes[1:], strict=True)]
            inner = max(t.ndim - 1 - (axis is not None) for t, axis in zip(moved, axes[1:], strict=True))
            ready = []
            for tensor, axis in zip(moved, axes[1:], strict=True):
                if axis is not None:  # the new axis comes before the leading axes of the others
                    lack = inner + 2 - tensor.ndim
                    tensor = tensor.reshape(tensor.shape[0], *(1 for _ in range(lack)), *tensor.shape[1:])
                ready.append(tensor)
            found = ModelCall.apply(call, *ready)
            return found, tuple(0 for _ in found)

    return ModelCall

"""PyTorch functions: values, derivatives against finite differences, batches and precisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.dynamic import draw

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")


def arm() -> rs.Model:
    case = draw(7, links=3, drives=False, wrenches=False, fixed_frames=False)
    return rs.inverse_dynamics(case.robot)


def tensors(model: rs.Model, *leading: int) -> list:  # type: ignore[type-arg]
    torch.manual_seed(2)
    given: dict[str, Any] = {"dtype": torch.float64, "requires_grad": True}
    return [torch.rand(*leading, len(names), **given) for names in model.inputs.values()]


def test_values_and_precisions() -> None:
    model = arm()
    given = [x.detach() for x in tensors(model, 4)]
    np.testing.assert_array_equal(model.to_torch()(*given), model.compile()(*(x.numpy() for x in given)))
    single = model.to_torch()(*(x.float() for x in given))
    assert single.dtype == torch.float32 and torch.allclose(single.double(), model.to_torch()(*given), atol=1e-4)


def test_first_and_second_derivatives() -> None:
    model = arm()
    function = model.to_torch()
    assert torch.autograd.gradcheck(function, tensors(model, 2), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, tensors(model, 2))
    shared = [tensors(model, 2)[0], *tensors(model)[1:]]  # one velocity for the whole batch
    assert torch.autograd.gradcheck(function, shared)
    pose = rs.direct_geometry(model.robot, 0, 3).to_torch()  # type: ignore[arg-type]
    assert torch.autograd.gradcheck(pose, tensors(model, 2)[:1])


def test_functional_transforms() -> None:
    model = arm()
    function = model.to_torch()
    batch, one = [x.detach() for x in tensors(model, 5)], [x.detach() for x in tensors(model)]
    found = torch.func.vmap(function, (0, None, 1))(batch[0], one[1], batch[2].T)
    assert torch.allclose(found, function(batch[0], one[1], batch[2]))
    rows, columns = (mode(function)(*one) for mode in (torch.func.jacrev, torch.func.jacfwd))
    assert torch.allclose(rows, columns)
    each = torch.func.vmap(torch.func.jacrev(function), (0, None, 0))(batch[0], one[1], batch[2])
    assert each.shape == (5, 3, 3)


def test_rejects_wrong_arguments() -> None:
    model = arm()
    with pytest.raises(rs.InputError, match="expected the arguments q, qd"):
        model.to_torch()(torch.zeros(3))
    with pytest.raises(rs.InputError, match="q: expected a last axis of length 3"):
        model.to_torch()(torch.zeros(2), torch.zeros(3), torch.zeros(3))

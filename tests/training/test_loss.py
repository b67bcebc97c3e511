"""The loss against torch's own and against sums in double precision; padding is invisible."""

import pytest
import torch
from torch import Tensor, nn

from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.tokens.vocabulary import BEGIN
from explorer.training.batches import make_batch
from explorer.training.loss import log_probabilities, training_loss
from tests.model.models import noise, randomized
from tests.training.runs import CONFIG, RECIPE

SOURCES, TARGETS = [(5, 6, 7), (9,), (12, 4, 4, 8, 10)], [(5, 8), (9, 9, 4, 7), (6,)]


def model_of(**knobs: object) -> Transformer:
    return randomized(build(CONFIG.changed(**knobs)))  # type: ignore[return-value]


def rows(n_tokens: int = 12, n_symbols: int = 25) -> tuple[Tensor, Tensor]:
    """Logits and the ids that are right."""
    expected = torch.randint(0, n_symbols, (n_tokens,), generator=torch.Generator().manual_seed(3))
    return 2 * noise(n_tokens, n_symbols), expected


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_smoothed_cross_entropy_is_torchs(smoothing: float) -> None:
    """Value and gradient."""
    logits, expected = rows()
    ours, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    loss = training_loss(ours.log_softmax(dim=-1), expected, RECIPE.changed(label_smoothing=smoothing, agreement=0))
    reference = nn.functional.cross_entropy(theirs, expected, label_smoothing=smoothing)
    loss.backward()
    reference.backward()

    torch.testing.assert_close(loss, reference)
    torch.testing.assert_close(ours.grad, theirs.grad)


@pytest.mark.parametrize("agreement", [1.0, 5.0])
def test_agreement_adds_the_divergence_of_both_halves(agreement: float) -> None:
    """R-Drop: α/2·(KL(P‖Q) + KL(Q‖P)) beside the sum of two cross-entropies; here everything counts by its mean, half."""
    logits, expected = rows(6)
    other = logits + noise(6, 25, seed=9)
    both, twice = torch.cat((logits, other)).log_softmax(dim=-1), torch.cat((expected, expected))
    recipe = RECIPE.changed(label_smoothing=0.1, agreement=agreement)
    p, q = (half.double().softmax(dim=-1) for half in (logits, other))
    # KL(P‖Q) = Σ_v P(v)·log(P(v)/Q(v))
    divergence = ((p * (p / q).log()).sum(dim=-1) + (q * (q / p).log()).sum(dim=-1)).mean() / 2
    entropies = sum(nn.functional.cross_entropy(half.double(), expected, label_smoothing=0.1) for half in (logits, other))

    expected_loss = (entropies + agreement * divergence) / 2
    torch.testing.assert_close(training_loss(both, twice, recipe).double(), expected_loss, atol=1e-5, rtol=0)


def test_two_equal_halves_agree() -> None:
    """Nothing is added."""
    logits, expected = rows(6)
    both, twice = torch.cat((logits, logits)).log_softmax(dim=-1), torch.cat((expected, expected))

    assert training_loss(both, twice, RECIPE).item() == pytest.approx(
        training_loss(both, twice, RECIPE.changed(agreement=0)).item(), abs=1e-6
    )


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"position": "learned"},
        {"position": "rotary", "norm_placement": "post"},
        {"position": "alibi", "mask_value": "-1e9"},
        {"causal_mask_cross": True},
        {"causal_mask_encoder": True},
    ],
    ids=str,
)
@torch.inference_mode()
def test_padding_does_not_change_log_probabilities(knobs: dict[str, object]) -> None:
    """Each row of a batch gives what its sentence gives alone, in a pass of the whole model."""
    model = model_of(**knobs)
    found = log_probabilities(model, make_batch(SOURCES, TARGETS))
    alone = [
        model(torch.tensor([source]), torch.tensor([(BEGIN, *target)]))[0].log_softmax(dim=-1)
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]

    torch.testing.assert_close(found, torch.cat(alone), atol=1e-5, rtol=0)


@torch.inference_mode()
def test_a_batch_without_its_lengths_would_be_found() -> None:
    """Padding that can be seen changes the numbers."""
    model, batch = model_of(), make_batch(SOURCES, TARGETS)
    unmasked = make_batch([(*row, *(0,) * (5 - len(row))) for row in SOURCES], TARGETS)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(log_probabilities(model, unmasked), log_probabilities(model, batch), atol=1e-5, rtol=0)


def test_rows_are_probabilities() -> None:
    """Of every symbol at each real place, the end of each target among them."""
    found = log_probabilities(model_of(), make_batch(SOURCES, TARGETS))

    assert found.shape == (sum(len(target) + 1 for target in TARGETS), 25)
    torch.testing.assert_close(found.exp().sum(dim=-1), torch.ones(len(found)))

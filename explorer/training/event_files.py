"""The numbers of a training as TensorBoard's event files, for people who watch many runs there. Its library is an extra."""

from pathlib import Path

from explorer.errors import ExtraMissing
from explorer.files import make_folder
from explorer.training.training import TrainingStep


class EventFiles:
    """Writes each step into a folder. Raises ExtraMissing without the library, CannotWrite."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter  # An extra, and slow to import.
        except ImportError as error:
            raise ExtraMissing(name="tensorboard", extra="tensorboard") from error
        self._writer: SummaryWriter = SummaryWriter(str(make_folder(folder)))

    def add(self, step: TrainingStep) -> None:
        """Take a step down, or the results at the end of an epoch."""
        numbers = {"train/loss": step.loss, "train/learning_rate": step.rate, "train/gradient_norm": step.norm}
        if step.finished is not None:
            found = step.finished
            numbers = {"valid/loss": found.validation_loss, "valid/accuracy": found.accuracy, "valid/exact": found.exact}
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step.step)

    def close(self) -> None:
        """Write what waits."""
        self._writer.close()

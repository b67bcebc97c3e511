"""All errors that a user can cause, as one family of exceptions under ExplorerError, a file for each subject.

    base          ExplorerError, and NotFound and BadFile, which have members in many of the files
    texts         a text and its tokens: BadText
    knobs         knobs and presets: BadKnob
    command_line  a command line that cannot be understood: WrongCall
    files         reading and writing, whatever a file holds: CannotRead, CannotWrite
    passes        questions to a recorded pass
    recordings    Traces from files, and torch modules of one's own: CannotRecord, RecordingFault
    models        what a model was not trained for, and its files
    folders       folders with foreign models or adapters: BadFolder
    checkpoints   checkpoints that are converted: CannotConvert
    changes       changes inside a pass: BadChange
    experiments   experiments, which make extra passes: CannotPatch, CannotSteer
    sessions      the State and the files of sessions: BadState
    lessons       lessons and their formulas: BadFormula
    export        pictures, tables and scripts: TooNarrow
    scans         scans of many sentences: OtherScan
    training      a training
    machine       what this machine, or the program on it, lacks or could not finish

Each file draws its part of the tree. Each error carries a text key and its numbers; `lang.Words.error` makes the sentence, and
`str()` is that sentence in the system's language. A bug is never an ExplorerError.

Decision: this file exports all names by a star, so that an error is declared once, in its file. Rejected: a list of the
170 names twice, in the imports and in `__all__`, which would be longer than any of the files and name each error four times.
"""

from explorer.errors.base import *
from explorer.errors.changes import *
from explorer.errors.checkpoints import *
from explorer.errors.command_line import *
from explorer.errors.experiments import *
from explorer.errors.export import *
from explorer.errors.files import *
from explorer.errors.folders import *
from explorer.errors.knobs import *
from explorer.errors.lessons import *
from explorer.errors.machine import *
from explorer.errors.models import *
from explorer.errors.passes import *
from explorer.errors.recordings import *
from explorer.errors.scans import *
from explorer.errors.sessions import *
from explorer.errors.texts import *
from explorer.errors.training import *

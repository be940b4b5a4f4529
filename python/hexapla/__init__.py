"""The encoder-decoder Transformer of "Attention Is All You Need": training, translation, evaluation, inspection.

    import hexapla
    translator = hexapla.Translator("run")
    print(translator.translate("A dog runs."))

All errors derive from hexapla.Error. The methods release the GIL and may be called from several threads.
"""

from ._check import flag as _flag
from ._check import integer as _integer
from ._check import path as _path
from ._check import text as _text
from ._load import _core
from ._typing import Path as _Path
from .convert import export_model, import_model
from .errors import (ArgumentTypeError, Canceled, DataError, Error, InternalError, LineWarning, MissingFile, OutOfMemory,
                     RunError, TimedOut, UsageError)
from .evaluator import Evaluator, evaluate
from .files import augment, make_shortlist
from .glossary import Glossary
from .inspector import AttentionMap, Inspection, Inspector
from .model import Model
from .options import ExportOptions, ImportOptions, MetricOptions, SearchOptions, TrainingOptions
from .pending import Pending, Stream
from .results import (Alignment, AugmentCounts, Comparison, Constraints, DocumentFormat, Example, ImportedModel,
                      MetricScore, NextToken, SampledFrom, Score, SearchCandidate, SearchHypothesis, SearchStep,
                      SearchTrace, ShortlistSize, TokenShare, TrainingReport,
                      TrainingResult, TrainingStart, Translation, UnknownTokens, ValidationReport)
from .stop import Stop
from .trainer import Trainer
from .translator import Translator

__all__ = [
    "Alignment",
    "ArgumentTypeError",
    "AttentionMap",
    "AugmentCounts",
    "Canceled",
    "Comparison",
    "Constraints",
    "DataError",
    "DocumentFormat",
    "Error",
    "Evaluator",
    "Example",
    "ExportOptions",
    "Glossary",
    "ImportOptions",
    "ImportedModel",
    "Inspection",
    "Inspector",
    "InternalError",
    "LineWarning",
    "MetricOptions",
    "MetricScore",
    "MissingFile",
    "Model",
    "NextToken",
    "OutOfMemory",
    "Pending",
    "RunError",
    "SampledFrom",
    "Score",
    "SearchCandidate",
    "SearchHypothesis",
    "SearchOptions",
    "SearchStep",
    "SearchTrace",
    "ShortlistSize",
    "Stop",
    "Stream",
    "TimedOut",
    "TokenShare",
    "Trainer",
    "TrainingOptions",
    "TrainingReport",
    "TrainingResult",
    "TrainingStart",
    "Translation",
    "Translator",
    "UnknownTokens",
    "UsageError",
    "ValidationReport",
    "augment",
    "document_format",
    "document_formats",
    "document_lines",
    "evaluate",
    "export_model",
    "import_model",
    "instruction_set",
    "make_shortlist",
    "set_threads",
]

__version__: str = _core.version()


def document_formats() -> list[str]:
    """Return the supported file extensions of documents: [".txt", ".html", ..]."""
    return _core.document_formats()


def document_format(name: _Path) -> DocumentFormat:
    """Return the format that the ending of a name tells."""
    return DocumentFormat(*_core.document_format(_path("name", name)))


def document_lines(content: "bytes | str", name: _Path, *, attributes: bool = False) -> list[str]:
    """Return the lines of text that Translator.translate_document() translates, in the order of their numbers."""
    given = content if isinstance(content, bytes) else _text("content", content).encode()
    return _core.document_lines(given, _path("name", name), _flag("attributes", attributes))


def instruction_set() -> str:
    """Return the instruction set of the kernels used on this processor, such as "avx2"."""
    return _core.instruction_set()


def set_threads(n: int) -> None:
    """Set the number of threads that the library uses for calls from this thread.

    0, the default: one per processor available to the process. Results do not depend on the number.
    """
    _core.set_threads(_integer("n", n, 0, 4096))

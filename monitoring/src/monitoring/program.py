"""A program's way out: whatever becomes of its output, it ends with a sentence or without a word, never in a trace."""

import codecs
import io
import os
import sys
import traceback
import unicodedata
from collections.abc import Callable
from typing import NoReturn

INTERRUPTED = 130
READER_GONE = 141  # 128 + SIGPIPE, as a shell gives it for a program that the signal ended
COULD_NOT = 2
_PLAIN = {"·": "-", "–": "-", "—": "-", "×": "x", "’": "'"}


def run_program(main: Callable[[], int]) -> int:
    """Run the `main` of a command line, and return its exit code.

    Characters that the terminal's encoding lacks are written in its letters. When nobody reads the output any more the
    program ends, cleaning up, as if the signal for it had ended it; when the output cannot be written, with a sentence.
    An error of its own ends it with the code of what could not be done, not with 1, which Python would take.
    """
    codecs.register_error("in plain letters", _in_plain_letters)
    sys.stdout = _Output(sys.stdout)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="in plain letters")
    try:
        return main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        traceback.print_exc()
        print(f"This is an error of the lab's own, please report it: {type(error).__name__}: {error}", file=sys.stderr)
        return COULD_NOT
    finally:
        sys.stdout.flush()


class _Output(io.TextIOWrapper):
    """Standard output whose errors are ends of the program, not errors of whatever it was doing."""

    def __init__(self, replaced: object) -> None:
        assert isinstance(replaced, io.TextIOWrapper)
        line_buffering = replaced.line_buffering
        encoding = replaced.encoding
        super().__init__(replaced.detach(), encoding=encoding, errors="in plain letters", line_buffering=line_buffering)

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            _end(error)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            _end(error)


def _end(error: OSError) -> NoReturn:
    # What is still buffered has nowhere to go; Python would try again at its end, and complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        raise SystemExit(READER_GONE) from None
    print(f"Standard output cannot be written: {error.strerror}.", file=sys.stderr)
    raise SystemExit(COULD_NOT) from None


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = "".join(_PLAIN.get(letter, letter) for letter in error.object[error.start : error.end])
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "replace").decode()
    return plain, error.end

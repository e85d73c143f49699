"""Starts the command line; output that cannot be written ends it with a sentence."""

import errno
import os
import sys

from conformance.command import main

try:
    code = main()
    sys.stdout.flush()
except OSError as error:
    if error.filename or error.errno not in (errno.ENOSPC, errno.EPIPE, errno.EIO):
        raise
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python would try again at its end, and complain
    print(f"Standard output cannot be written: {error.strerror}.", file=sys.stderr)
    code = 2
raise SystemExit(code)

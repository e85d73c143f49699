"""https://www.starlette.io/requests/#request-files (read 2026-11-27). Added: the file is written, under a UUID."""

import os
import uuid
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

FOLDER = Path(os.environ["UPLOAD_DIR"])


async def upload(request: Request) -> JSONResponse:
    """Store the file of a form."""
    async with request.form() as form:
        file = form.get("file")
        if file is None or isinstance(file, str):
            return JSONResponse({"error": "no file"}, status_code=400)
        path = FOLDER / str(uuid.uuid4())
        try:
            await run_in_threadpool(path.write_bytes, await file.read())
        except OSError:
            path.unlink(missing_ok=True)
            raise
    return JSONResponse({"stored": 1})


app = Starlette(routes=[Route("/upload", upload, methods=["POST"])])

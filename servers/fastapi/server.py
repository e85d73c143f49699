"""https://fastapi.tiangolo.com/tutorial/request-files/ (read 2026-11-27). Added: the file is copied under a UUID."""

import os
import shutil
import uuid
from pathlib import Path

from fastapi import FastAPI, UploadFile

FOLDER = Path(os.environ["UPLOAD_DIR"])
app = FastAPI()


@app.post("/upload")
def upload(file: UploadFile) -> dict[str, int]:
    """Store the file of a form, in the thread pool."""
    path = FOLDER / str(uuid.uuid4())
    try:
        with path.open("wb") as stored:
            shutil.copyfileobj(file.file, stored)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return {"stored": 1}

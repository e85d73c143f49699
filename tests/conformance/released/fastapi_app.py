"""As FastAPI's guide writes it: UploadFile, copied into a file."""

import os
import shutil
import uuid
from pathlib import Path

import uvicorn
from fastapi import FastAPI, UploadFile

app = FastAPI()


@app.post("/api/files", status_code=201)
def upload(file: UploadFile) -> dict[str, str | None]:
    with (Path(os.environ["UPLOAD_DIR"]) / str(uuid.uuid4())).open("wb") as target:
        shutil.copyfileobj(file.file, target)
    return {"filename": file.filename}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")

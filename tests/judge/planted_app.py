"""An Express app with multer in a git repository of its own, and changes to it whose effect is known, as branches."""

import shutil
import subprocess
from pathlib import Path

LOCKED = Path(__file__).parents[2] / "node-server"
"""Its versions of Express and multer are taken, so that there is one lock file to renew."""
SERVER = """\
import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import express from 'express'
import multer from 'multer'

const upload = multer({ storage: multer.memoryStorage() })
const app = express()

app.post('/photos', upload.single('photo'), async (req, res) => {
  const id = randomUUID()
  await writeFile(join(process.env.UPLOAD_DIR, id), req.file.buffer)
  res.status(201).json({ id })
})

app.listen(Number(process.env.PORT), process.env.HOST)
"""
SUT = """\
[system]
id = "photos"
name = "Photos"

[[requires]]
command = "npm"
debian = "npm"

[[stacks.current.install]]
command = ["npm", "ci", "--omit=dev", "--omit=optional", "--no-audit", "--no-fund"]
inputs = ["package.json", "package-lock.json"]
outputs = ["node_modules/.package-lock.json"]

[stacks.current.start]
command = ["node", "server.js"]

[upload]
path = "/photos"
field = "photo"
accepted = [201]
"""
HANDLER = "  const id = randomUUID()\n"
CHANGES = {
    "none": (HANDLER, "  const id = randomUUID() // fresh for each upload\n"),
    # A digest that nobody needs: some 5% of the CPU time of an upload of 23 KB.
    "cpu": (HANDLER, HANDLER + "  createHash('md5').update(req.file.buffer).digest('hex')\n"),
    "blocking": (HANDLER, HANDLER + "  for (const end = performance.now() + 5; performance.now() < end;);\n"),
    # What no noise hides, for the tests.
    "stalled": (HANDLER, HANDLER + "  for (const end = performance.now() + 50; performance.now() < end;);\n"),
    "leak": ("const app = express()\n", "const app = express()\nconst kept = []\n"),
    "lost-await": ("  await writeFile(", "  writeFile("),
}


def make_app(folder: Path) -> Path:
    """Make the app on the branch main, and a branch for each change; return the folder."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCKED / name, folder / name)
    (folder / ".gitignore").write_text("node_modules/\n")
    (folder / "sut.toml").write_text(SUT)
    (folder / "server.js").write_text(SERVER)
    commit(folder, "Photos")
    for name, (before, after) in CHANGES.items():
        changed = SERVER.replace(before, after)
        if name == "leak":
            changed = changed.replace(HANDLER, HANDLER + "  kept.push(Buffer.alloc(20_000, 1))\n")
        git(folder, "checkout", "--quiet", "-b", name, "main")
        (folder / "server.js").write_text(changed)
        commit(folder, name)
    git(folder, "checkout", "--quiet", "main")
    return folder


def commit(folder: Path, message: str) -> None:
    """Commit all that there is in a folder."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as someone, and return what it printed."""
    identity = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

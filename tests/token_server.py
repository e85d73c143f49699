"""A server that takes uploads only with a token in a header and a text field before the file."""

from pathlib import Path

SERVER = """
import argparse, http.server, json, pathlib, re, time, uuid

parser = argparse.ArgumentParser()
parser.add_argument("--listen")
parser.add_argument("--into", type=pathlib.Path)
asked = parser.parse_args()
host, port = asked.listen.split(":")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        found = re.search(rb'name="file"; filename="[^"]*"\\r\\n(?:[^\\r]+\\r\\n)*\\r\\n', body)
        album = b'name="album"\\r\\nContent-Type: text/plain' in body or b'name="album"\\r\\n\\r\\nsea' in body
        good = self.headers["X-Token"] == "key s3cret" and self.path == "/up?a=1" and found and album
        answer = {"at": time.time_ns()}
        if good:
            end = body.rindex(b"\\r\\n--", 0, len(body) - 4)
            name = uuid.uuid4().hex
            (asked.into / name[:2]).mkdir(exist_ok=True)
            (asked.into / name[:2] / name).write_bytes(body[found.end() : end])
            answer["id"] = name
        content = json.dumps(answer).encode()
        self.send_response(202 if good else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer.request_queue_size = 128  # all users of a load come at once
http.server.ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
"""
SUT = """
[system]
id = "other"
name = "Other"

[stacks.current.start]
command = ["python3", "app.py", "--listen={host}:{port}", "--into=STORED_IN"]

[upload]
path = "/up?a=1"
stored_in = "STORED_IN"
field = "file"
form = { album = "sea" }
headers = { X-Token = "key $OTHER_TOKEN" }
accepted = [202]
"""


def make_token_server(folder: Path, stored_in: str = "files") -> Path:
    """Write it into a folder of its own, where a file of another time lies; return the folder."""
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "older").write_text("x")
    (folder / "app.py").write_text(SERVER)
    (folder / "sut.toml").write_text(SUT.replace("STORED_IN", stored_in))
    return folder

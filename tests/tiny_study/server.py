"""A server that answers every GET with a greeting; its faults are switched on by a setting."""

import http.server
import json
import os
import signal
import sys
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for an acknowledgement
    answered = 0

    def do_GET(self) -> None:
        Handler.answered += 1
        if os.environ["BROKEN"] == "under_load" and Handler.answered > 50:
            print("out of greetings", flush=True)
            os._exit(9)
        if os.environ["BROKEN"] == "stuck" and Handler.answered > 50:
            threading.Event().wait()
        burnt = time.thread_time() + float(os.environ.get("COST_MS", "0")) / 1000
        while time.thread_time() < burnt:
            pass
        body = os.environ["GREETING"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # all users of a load come at once; beyond five the kernel would turn them away


if __name__ == "__main__":
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps({"python": sys.version.split()[0]}))
        sys.exit(0)
    if os.environ["BROKEN"] == "at_start":
        sys.exit("no greeting today")
    if os.environ["BROKEN"] == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif os.environ["BROKEN"] != "uncaught":
        code = {"as_java": 143, "at_end": 7}.get(os.environ["BROKEN"], 0)
        signal.signal(signal.SIGTERM, lambda *_: os._exit(code))
    address = (os.environ["HOST"], int(os.environ["PORT"]))
    Server(address, Handler).serve_forever()

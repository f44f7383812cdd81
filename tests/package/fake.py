"""fake.py PORT-FILE: as much of REST v2 as examples/deploy.c needs, on a free loopback port.

One pod can be rented, and it is what was asked for. Every request is printed."""
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

pods = {}


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        print(self.command, self.path, status, flush=True)

    def do_GET(self):
        path = self.path.partition("?")[0]
        pod = pods.get(path.rpartition("/")[2])
        if path == "/v2/pods":
            self.reply(200, {"pods": list(pods.values())})
        else:
            self.reply(200 if pod else 404, pod or {"status": 404, "title": "Not Found", "detail": "no such pod"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        pod = dict(asked, id="examplepod0001", status="RUNNING", cost=0.27, createdAt=now)
        pods[pod["id"]] = pod
        self.reply(201, pod)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Answer)
with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()

"""An origin that misbehaves in one way at a time, with a fixed seed, and counts the bytes of body it sends."""

import hashlib
import random
import socket
import struct
import threading
import time

SCENARIOS = ["cuts", "stalls", "503", "range ignored", "file changes", "no validators"]


def noise(seed, size):
    return random.Random(seed).randbytes(size)


class Origin:
    """`scenario` is one of SCENARIOS; every one of them also cuts connections, each after about `cut` bytes."""

    def __init__(self, scenario, size, cut, rate, seed):
        self.scenario, self.size, self.cut, self.rate = scenario, size, cut, rate
        self.random = random.Random(seed)
        self.versions = [noise(seed + 1, size), noise(seed + 2, size)]
        self.sent = 0
        self.requests = 0
        self.early = 0  # requests before the time that a Retry-After had named
        self.quiet_until = 0
        self.stopping = False
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32 << 10)  # what is "sent" is nearly what arrives
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.port}/episode.mp3"

    def stop(self):
        self.stopping = True
        self.listener.close()

    def digest(self, version):
        return hashlib.sha256(self.versions[version]).hexdigest()

    def version(self):
        return 1 if self.scenario == "file changes" and self.sent > self.size * 0.6 else 0

    def accept(self):
        while not self.stopping:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            buffer = b""
            while not self.stopping:
                while b"\r\n\r\n" not in buffer:
                    try:
                        piece = connection.recv(65536)
                    except OSError:
                        return
                    if not piece:
                        return
                    buffer += piece
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                try:
                    if not self.answer(connection, head.decode("latin-1")):
                        return
                except OSError:
                    return

    def fields_of(self, version):
        if self.scenario == "no validators":
            return ""
        tag = f'"v{version + 1}"'
        return f"ETag: {tag}\r\nLast-Modified: Mon, 0{version + 1} Jan 2024 00:00:00 GMT\r\n"

    def answer(self, connection, head):
        """False when the connection is at its end."""
        lines = dict(l.split(": ", 1) for l in head.split("\r\n")[1:] if ": " in l)
        lines = {k.lower(): v for k, v in lines.items()}
        with self.lock:
            self.requests += 1
            ignore = self.scenario == "range ignored" and self.random.randrange(3) == 0
            busy = self.scenario == "503" and self.random.randrange(3) == 0
            until_cut = int(self.random.expovariate(1 / self.cut)) + 1
            version = self.version()
            if time.monotonic() < self.quiet_until:
                self.early += 1
            if busy:
                self.quiet_until = time.monotonic() + 1
        if head.startswith("HEAD"):
            connection.sendall(f"HTTP/1.1 200 OK\r\n{self.fields_of(version)}Content-Length: {self.size}\r\n\r\n".encode())
            return True
        if busy:
            connection.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
            return True
        first, partial = 0, False
        current = lines.get("if-range", "") in ("", f'"v{version + 1}"', f"Mon, 0{version + 1} Jan 2024 00:00:00 GMT")
        if lines.get("range", "").startswith("bytes=") and current and not ignore:
            first = int(lines["range"][6:].split("-")[0] or 0)
            partial = True
        if partial and first >= self.size:
            connection.sendall(f"HTTP/1.1 416 No\r\nContent-Range: bytes */{self.size}\r\nContent-Length: 0\r\n\r\n".encode())
            return True
        out = "HTTP/1.1 206 Partial Content\r\n" if partial else "HTTP/1.1 200 OK\r\n"
        if partial:
            out += f"Content-Range: bytes {first}-{self.size - 1}/{self.size}\r\n"
        out += f"{self.fields_of(version)}Content-Type: audio/mpeg\r\nContent-Length: {self.size - first}\r\n\r\n"
        connection.sendall(out.encode())
        return self.send_body(connection, version, first, until_cut)

    def send_body(self, connection, version, first, until_cut):
        body = memoryview(self.versions[version])
        at, started = first, time.monotonic()
        while at < self.size:
            piece = min(16 << 10, self.size - at, until_cut)
            connection.sendall(body[at : at + piece])
            with self.lock:
                self.sent += piece
            at += piece
            until_cut -= piece
            if until_cut == 0 and at < self.size:
                if self.scenario == "stalls":
                    time.sleep(4)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            ahead = (at - first) / self.rate - (time.monotonic() - started)
            if ahead > 0:
                time.sleep(ahead)
        return True

"""What tools/bench/proxy measures with: processes, wrk, /proc. Linux only; everything has a time limit."""

import os
import re
import socket
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process, limit=30.0):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} does not listen on port {port}")


def tree(pid):
    """The process and all that it started, threads not counted apart."""
    out, todo = [], [pid]
    while todo:
        p = todo.pop()
        out.append(p)
        try:
            for task in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{task}/children") as f:
                    todo += [int(c) for c in f.read().split()]
        except OSError:
            pass
    return out


def cpu_seconds(pid):
    total = 0
    for p in tree(pid):
        try:
            with open(f"/proc/{p}/stat") as f:
                fields = f.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])  # utime, stime
        except OSError:
            pass
    return total / TICK


def pss_mb(pid):
    total = 0
    for p in tree(pid):
        try:
            with open(f"/proc/{p}/smaps_rollup") as f:
                total += int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M).group(1))
        except OSError:
            pass
    return total / 1024


def get(port, url, timeout=10.0):
    """One request through a proxy, as raw as possible: (status, bytes of body). A connection that breaks is status 0."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout) as s:
            host = url.split("/")[2]
            s.sendall(f"GET {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            data = b""
            while chunk := s.recv(1 << 20):
                data = data + chunk if len(data) < 65536 or b"\r\n\r\n" not in data else data
                if len(data) > 65536:
                    break
            head, _, body = data.partition(b"\r\n\r\n")
            return int(head.split(b" ")[1]), len(body)
    except (OSError, IndexError, ValueError):
        return 0, 0


def drain(port, url, timeout=120.0):
    """Fetches all of it, so that it is stored; the number of bytes that came."""
    with socket.create_connection(("127.0.0.1", port), timeout) as s:
        host = url.split("/")[2]
        s.sendall(f"GET {url} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        total = 0
        while chunk := s.recv(1 << 20):
            total += len(chunk)
        return total


def fill(port, origin, count, limit=120.0):
    """Asks once for each of the small objects over one connection, a window at a time."""
    end = time.monotonic() + limit
    host = f"127.0.0.1:{origin}"
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        stream = s.makefile("rb")
        for n in range(count):
            s.sendall(f"GET http://{host}/o/{n} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line[15:])
            if length is None:
                raise RuntimeError("an answer without Content-Length while filling")
            stream.read(length)
            if time.monotonic() > end:
                raise RuntimeError(f"filling took more than {limit:.0f} s, {n} of {count} done")


WRK_SCRIPT = """
local objects = {objects}
local host = "127.0.0.1:{origin}"
local seeded = false
request = function()
  if objects == 0 then return wrk.format("GET", "http://" .. host .. "{path}") end
  if not seeded then math.randomseed({seed}); seeded = true end
  return wrk.format("GET", "http://" .. host .. "/o/" .. math.random(0, objects - 1))
end
init = function(args) wrk.headers["Host"] = host end
done = function(summary, latency, requests)
  local bad = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, summary.bytes, bad,
    latency:percentile(50), latency:percentile(99)))
end
"""


def wrk(port, origin, path, objects, seconds, connections):
    """One run: a dictionary of requests, seconds, bytes, errors, p50 and p99 in milliseconds."""
    script = WRK_SCRIPT.format(objects=objects, origin=origin, path=path, seed=4711)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as f:
        f.write(script)
        f.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", f.name, f"http://127.0.0.1:{port}/"]
        text = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True).stdout
    n, micros, size, bad, p50, p99 = map(int, re.search(r"RESULT (.*)", text).group(1).split())
    return {"requests": n, "seconds": micros / 1e6, "bytes": size, "errors": bad, "p50": p50 / 1000, "p99": p99 / 1000}

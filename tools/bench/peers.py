"""The proxies that are compared: how each is configured and started from its Debian package, in a folder of its own on loopback."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from measure import free_port, wait_for_port

CORES = os.cpu_count() or 1


class Peer:
    name = ""
    keeps = True  # what it stored is there after a restart
    settles = 1  # seconds after which what was stored is on disk

    def __init__(self, folder, origin):
        self.folder = Path(folder) / self.name.replace(" ", "-")
        self.origin = origin
        self.port = free_port()
        self.process = None
        self.folder.mkdir(parents=True)

    def prepare(self):
        """Once, before the first start."""

    def command(self):
        raise NotImplementedError

    def launch(self):
        log = open(self.folder / "output.log", "ab")
        self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, start_new_session=True, env=self.environment())

    def environment(self):
        return dict(os.environ)

    def start(self):
        self.launch()
        wait_for_port(self.port, self.process)

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def give_to(self, user):
        """Daemons that drop root need their folder."""
        if os.getuid() != 0:
            return
        account = pwd.getpwnam(user)
        for path in [self.folder, *self.folder.rglob("*")]:
            os.chown(path, account.pw_uid, account.pw_gid)


class Limit(Peer):
    name = "epoll limit"
    keeps = False
    program = ""
    objects = 0

    def command(self):
        return [self.program, str(self.port), str(CORES), str(self.objects)]


class Cistern(Peer):
    name = "cistern"
    program = ""

    def prepare(self):
        # one address asks for everything here, and the origin is on loopback
        (self.folder / "cistern.toml").write_text("[log]\nlevel = \"warning\"\n[proxy]\nallow_private = true\n")

    def command(self):
        return [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.folder / "data"), "--config",
                str(self.folder / "cistern.toml")]


class Squid(Peer):
    cache = ""

    def prepare(self):
        (self.folder / "squid.conf").write_text(f"""
http_port 127.0.0.1:{self.port}
http_access allow all
access_log none
cache_log {self.folder}/cache.log
cache_store_log none
pid_filename {self.folder}/squid.pid
coredump_dir {self.folder}
maximum_object_size 200 MB
shutdown_lifetime 1 second
{self.cache.format(folder=self.folder)}
""")
        self.give_to("proxy")
        if "cache_dir" in self.cache:
            subprocess.run(["squid", "-z", "-N", "-f", str(self.folder / "squid.conf")], check=True, timeout=60, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

    def command(self):
        return ["squid", "-N", "-f", str(self.folder / "squid.conf")]


class SquidDisk(Squid):
    name = "squid disk"
    cache = "cache_mem 0 MB\nmaximum_object_size_in_memory 0 KB\ncache_dir aufs {folder}/cache 2000 16 256"


class SquidMemory(Squid):
    name = "squid memory"
    keeps = False
    cache = "cache_mem 512 MB\nmaximum_object_size_in_memory 200 MB"


class Nginx(Peer):
    name = "nginx cache"

    def prepare(self):
        temporary = "".join(f"  {t}_temp_path {self.folder}/{t};\n" for t in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # tcp_nopush costs 44 ms for objects around 100 kB (Nagle and delayed acknowledgement), so it is off
        (self.folder / "nginx.conf").write_text(f"""
daemon off;
{"user root;" if os.getuid() == 0 else ""}
worker_processes {CORES};
pid {self.folder}/nginx.pid;
error_log {self.folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush off;
  keepalive_requests 100000000;
{temporary}
  proxy_cache_path {self.folder}/cache levels=1:2 keys_zone=all:64m max_size=2g inactive=7d use_temp_path=off;
  server {{
    listen 127.0.0.1:{self.port} reuseport;
    location / {{
      proxy_pass http://127.0.0.1:{self.origin};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache all;
      proxy_cache_key $request_uri;
      proxy_max_temp_file_size 0;
    }}
  }}
}}
""")

    def command(self):
        return ["nginx", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", str(self.folder / "error.log")]


class TrafficServer(Peer):
    name = "traffic server"
    settles = 4

    def prepare(self):
        # our own layout: the package's would read and write /etc/trafficserver and /var
        ours = {key: self.folder / key for key in ("sysconfdir", "localstatedir", "runtimedir", "logdir", "cachedir", "datadir")}
        for folder in ours.values():
            folder.mkdir()
        theirs = {"prefix": "/usr", "exec_prefix": "/usr", "bindir": "/usr/bin", "sbindir": "/usr/sbin", "includedir": "/usr/include",
                  "libdir": "/usr/lib/trafficserver", "libexecdir": "/usr/lib/trafficserver/modules"}
        layout = "".join(f"{key}: {value}\n" for key, value in {**theirs, **ours}.items())
        (self.folder / "runroot.yaml").write_text(layout)
        config = ours["sysconfdir"]
        (config / "storage.config").write_text(f"{ours['cachedir']} 1G\n")
        for empty in ("remap.config", "plugin.config", "volume.config", "hosting.config", "cache.config", "parent.config"):
            (config / empty).write_text("")
        (config / "ip_allow.yaml").write_text("ip_allow:\n  - apply: in\n    ip_addrs: 127.0.0.1\n    action: allow\n    methods: ALL\n")
        (config / "records.config").write_text(f"""
CONFIG proxy.config.http.server_ports STRING {self.port}:ip-in=127.0.0.1
CONFIG proxy.config.url_remap.remap_required INT 0
CONFIG proxy.config.reverse_proxy.enabled INT 0
CONFIG proxy.config.http.cache.http INT 1
CONFIG proxy.config.cache.dir.sync_frequency INT 1
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.crash_log_helper STRING NULL
CONFIG proxy.config.admin.user_id STRING {"trafficserver" if os.getuid() == 0 else "#-1"}
""")
        self.give_to("trafficserver")

    def command(self):
        return ["traffic_server", f"--run-root={self.folder}"]


def install(packages, commands):
    """Debian packages for commands that are missing, without letting them start their services."""
    if all(shutil.which(c) for c in commands):
        return
    if os.getuid() != 0 or not shutil.which("apt-get"):
        sys.exit("tools/bench/proxy: as root, run: apt-get install " + " ".join(packages))
    policy = Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        subprocess.run(["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages], check=True, timeout=900,
                       env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"), stdout=sys.stderr)
    finally:
        if ours:
            policy.unlink()

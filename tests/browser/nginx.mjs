// A real nginx (Debian's) with its own configuration and folders, on loopback, as an ordinary user's process.
// It answers for every host name, so it can stand in for the whole web as Cistern's parent proxy.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, untilListening, untilExit } from './processes.mjs'

const types = {
  'text/html': 'html', 'text/css': 'css', 'image/png': 'png', 'image/svg+xml': 'svg', 'font/woff2': 'woff2',
}

function configuration (folder, root, port) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
${process.getuid() === 0 ? 'user root;' : '' /* else workers could not read a folder in somebody's home */}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log ${folder}/access.log;
  ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  types { ${Object.entries(types).map(([type, end]) => `${type} ${end};`).join(' ')} }
  charset utf-8;
  gzip on;
  gzip_types text/css image/svg+xml;
  gzip_proxied any;
  server {
    listen 127.0.0.1:${port};
    server_name _;
    root ${root};
  }
}
`
}

export class Nginx {
  constructor (folder, root) { Object.assign(this, { folder, root }) }

  async start () {
    await mkdir(this.folder, { recursive: true })
    this.port ??= await freePort()
    const file = join(this.folder, 'nginx.conf')
    await writeFile(file, configuration(this.folder, this.root, this.port))
    this.process = spawn('nginx', ['-p', this.folder, '-c', file, '-e', join(this.folder, 'error.log')], { stdio: 'inherit' })
    await untilListening(this.port, this.process)
  }

  async stop () {
    this.process.kill('SIGTERM')
    await untilExit(this.process)
  }
}

// The web over https, on loopback: an authority made for one run, a real nginx that has certificates for several hosts, and a
// proxy that leads CONNECT to it whatever the host, so that names need no DNS.
import { execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, untilListening, untilExit } from './processes.mjs'

export const hosts = ['www.garden.test', 'cdn.garden.test', 'app.garden.test', 'api.garden.test', 'fonts.other.test', 'hostile.garden.test']

const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' })

export async function makeAuthority (folder) {
  await mkdir(folder, { recursive: true })
  const file = name => join(folder, name)
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=Test web',
    '-keyout', file('root.key'), '-out', file('root.pem'))
  openssl('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=test', '-keyout', file('leaf.key'),
    '-out', file('leaf.csr'))
  await writeFile(file('leaf.ext'), `subjectAltName=${hosts.map(h => `DNS:${h}`).join(',')}\n`)
  openssl('x509', '-req', '-days', '2', '-in', file('leaf.csr'), '-CA', file('root.pem'), '-CAkey', file('root.key'), '-CAcreateserial',
    '-extfile', file('leaf.ext'), '-out', file('leaf.pem'))
  return { root: file('root.pem'), certificate: file('leaf.pem'), key: file('leaf.key') }
}

const policies = {
  'www.garden.test': "default-src 'none'; img-src https://cdn.garden.test data:; style-src https://cdn.garden.test 'unsafe-inline'; " +
    "font-src https://fonts.other.test; script-src 'self'; frame-src 'self'; upgrade-insecure-requests",
  'app.garden.test': "default-src 'self'; script-src 'nonce-garden' 'strict-dynamic'; img-src https://*.garden.test data:; " +
    'connect-src https://api.garden.test; worker-src \'self\'',
}

function server (host, root, authority, port) {
  const short = host.split('.')[0]
  return `
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${host};
    ssl_certificate ${authority.certificate};
    ssl_certificate_key ${authority.key};
    root ${join(root, short)};
    add_header Strict-Transport-Security "max-age=31536000";
    add_header Cache-Control "max-age=600";
    ${short === 'fonts' ? 'add_header Access-Control-Allow-Origin "https://www.garden.test";' : ''}
    ${short === 'cdn' ? 'add_header Access-Control-Allow-Origin "*";' : ''}
    ${short === 'api' ? 'add_header Access-Control-Allow-Origin "https://app.garden.test";' : ''}
    ${policies[host] ? `add_header Content-Security-Policy "${policies[host]}";` : ''}
    location / { try_files $uri $uri/index.html =404; }
  }`
}

export class TlsWorld {
  constructor (folder, root, authority) { Object.assign(this, { folder, root, authority }) }

  async start () {
    await mkdir(this.folder, { recursive: true })
    this.port ??= await freePort()
    this.plainPort ??= await freePort()
    const file = join(this.folder, 'nginx.conf')
    await writeFile(file, `
daemon off;
${process.getuid() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${this.folder}/nginx.pid;
error_log ${this.folder}/error.log;
events { worker_connections 256; }
http {
  access_log ${this.folder}/access.log;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(n => `${n}_temp_path ${this.folder}/${n};`).join('\n  ')}
  types { text/html html; text/css css; image/png png; image/svg+xml svg; font/woff2 woff2; text/javascript js; application/json json; }
  charset utf-8;
  gzip on;
  gzip_types text/css;
  gzip_proxied any;
${hosts.map(h => server(h, this.root, this.authority, this.port)).join('\n')}
}
`)
    this.process = spawn('nginx', ['-p', this.folder, '-c', file, '-e', join(this.folder, 'error.log')], { stdio: 'inherit' })
    await untilListening(this.port, this.process)
  }

  async stop () {
    this.process.kill('SIGTERM')
    await untilExit(this.process)
  }
}

/** A proxy that leads every CONNECT to `port`. */
export async function startParent (port) {
  const parent = createServer((request, answer) => { answer.writeHead(502); answer.end() })
  parent.on('connect', (request, near, head) => {
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n')
      far.write(head)
      far.pipe(near).pipe(far)
    })
    far.on('error', () => near.destroy())
    near.on('error', () => far.destroy())
  })
  await new Promise(resolve => parent.listen(0, '127.0.0.1', resolve))
  return { port: parent.address().port, stop: () => { parent.closeAllConnections(); parent.close() } }
}

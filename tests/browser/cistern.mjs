// The daemon under test, with a data folder of its own.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, untilListening, untilExit } from './processes.mjs'

export class Cistern {
  // `settings` are lines of the configuration file
  constructor (program, folder, settings) { Object.assign(this, { program, folder, settings }) }

  get address () { return `127.0.0.1:${this.port}` }

  async start () {
    await mkdir(this.folder, { recursive: true })
    this.port ??= await freePort()
    const file = join(this.folder, 'cistern.toml')
    await writeFile(file, this.settings)
    this.process = spawn(this.program, ['serve', '--listen', this.address, '--data', join(this.folder, 'data'), '--config', file])
    const log = createWriteStream(join(this.folder, 'cistern.log'), { flags: 'a' })
    this.process.stdout.pipe(log)
    this.process.stderr.pipe(log)
    await untilListening(this.port, this.process)
  }

  async stop (signal = 'SIGTERM') {
    this.process.kill(signal)
    await untilExit(this.process)
  }
}

// Starting programs, and knowing when they are there and when they are gone; everything has an end.
import { createServer, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export async function freePort () {
  const server = createServer()
  await new Promise((resolve, reject) => server.listen(0, '127.0.0.1', resolve).on('error', reject))
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return port
}

export async function until (what, condition, limit = 15000) {
  const end = Date.now() + limit
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s in vain until ${what}`)
    await pause(25)
  }
}

function listens (port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => { socket.destroy(); resolve(true) }).on('error', () => resolve(false))
  })
}

export async function untilListening (port, process) {
  await until(`port ${port} listens`, () => {
    if (process.exitCode !== null) throw new Error(`${process.spawnfile} ended with ${process.exitCode}`)
    return listens(port)
  })
}

export async function untilExit (process) {
  if (process.exitCode !== null || process.signalCode !== null) return
  const exited = new Promise(resolve => process.once('exit', resolve))
  const late = pause(15000, 'late', { ref: false })
  if (await Promise.race([exited, late]) === 'late') process.kill('SIGKILL')
  await exited
}

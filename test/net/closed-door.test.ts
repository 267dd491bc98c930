/** A client whose program ends, and which connects again at once, finds the port closed. */
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, node, sentinel, stopAll, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const LONG = 'x'.repeat(64 * 1024)
const COUNT = 300

test.each(['server', 'sentinel'] as const)('a %s takes no client while it ends', async (kind) => {
  const folder = scratchFolder('closed-door')
  const [port = 0, master = 0] = await freePorts(2)
  const program = kind === 'server' ? node(folder, port) : sentinel(folder, port, { master })
  try {
    program.start()
    await until('it answers', 10_000, () => answers(port))
    const client = await connected(port)
    // What it does not read keeps the program from ending for two seconds.
    const deaf = await connected(port)
    await until('it has been sent more than it takes', 10_000, flood(deaf))
    const again = new Promise((resolve) => client.once('close', () => resolve(attempt(port))))
    client.resume()
    program.signal('SIGTERM')
    expect(await again).toBe('ECONNREFUSED')
    expect(program.isRunning).toBe(true)
    deaf.destroy()
  } finally {
    await stopAll(folder, [program])
  }
})

/** Sends so many requests one after the other, and reads no answer. Returns whether nothing moves any more. */
function flood(socket: Socket): () => boolean {
  let [sent, before] = [0, 0]
  const next = () => {
    if (++sent < COUNT) socket.write(encodeCommand(['PING', LONG]), next)
  }
  socket.pause()
  next()
  return () => {
    const isSame = sent === before
    before = sent
    return isSame && sent > 1
  }
}

async function answers(port: number): Promise<boolean> {
  return (await attempt(port)) === 'connected'
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', () => undefined)
  })
}

/** How connecting ends: `connected`, or the code of an error. */
function attempt(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve('connected')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
}

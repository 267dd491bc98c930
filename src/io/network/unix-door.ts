/**
 * [unixsocket] A listening socket in the file system. What a process that was killed has left there is
 * removed; the socket of one that still answers is not, nor anything that is no socket.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { reasonOf, StartError } from '../start-error.ts'

export interface UnixDoor {
  /** Absolute. */
  readonly path: string
  /** [unixsocketperm] 0 leaves what the umask of the process gives. */
  readonly mode: number
}

/** Connections have no address of their own, so the path stands for it. */
const paths = new WeakMap<Socket, string>()

/** Undefined: the connection came by TCP. */
export function unixPathOf(socket: Socket): string | undefined {
  return paths.get(socket)
}

export async function openUnixDoor(
  { path, mode }: UnixDoor,
  backlog: number,
  enter: (socket: Socket) => void,
): Promise<Server> {
  await makeRoom(path)
  const server = createServer((socket) => {
    paths.set(socket, path)
    enter(socket)
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ path, backlog }, () => {
        server.removeListener('error', reject)
        server.on('error', () => undefined)
        resolve()
      })
    })
    if (mode !== 0) chmodSync(path, mode)
  } catch (error) {
    server.close()
    throw cannot(path, reasonOf(error), 'check the folder and its rights, or leave unixsocket out')
  }
  process.once('exit', () => rmSync(path, { force: true }))
  return server
}

async function makeRoom(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) {
    throw cannot(path, 'there is a file that is no socket', 'move it away, or choose another path')
  }
  if (await answers(path)) {
    throw cannot(path, 'another process is listening there', 'stop it, or choose another path')
  }
  rmSync(path, { force: true })
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function cannot(path: string, reason: string, hint: string): StartError {
  return new StartError('E_LISTEN', `cannot listen on ${path}: ${reason}`, hint)
}

/**
 * Ports for programs that a test starts. They are below those that the kernel gives to outgoing
 * connections, which could otherwise take a port between its choice here and the start of its program.
 * One process never uses a port twice, so no program hears from the peers of a test that is over, and
 * processes that run at the same time begin far apart.
 */
import { createServer } from 'node:net'

const FIRST = 11_000
const COUNT = 10_000
/** Far from those of the processes with the next numbers. */
let next = (process.pid * 1_237) % COUNT

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** Whether it is free on every address of this machine. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}

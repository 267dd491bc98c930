/**
 * Free ports below the range the kernel takes for outgoing connections. A port inside that range can be
 * taken between our look and the server's start; worse, somebody who keeps reconnecting to the port of a
 * server that was killed can end up connected to himself.
 */
import { createServer } from 'node:net'

export const FIRST_PORT = 20_000
export const LAST_PORT = 29_999

export const HOST = '127.0.0.1'

/** `count` different ports nobody listens on. */
export async function freePorts(count) {
  const ports = []
  let candidate = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
  for (let tried = 0; ports.length < count; tried++) {
    if (tried > LAST_PORT - FIRST_PORT)
      throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`)
    if (await isFree(candidate)) ports.push(candidate)
    candidate = candidate === LAST_PORT ? FIRST_PORT : candidate + 1
  }
  return ports
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })
}

/**
 * Free ports below the range that the kernel uses for outgoing connections. A port inside that range can
 * be taken between our check and the server's start; worse, a client that keeps reconnecting to the port
 * of a killed server can end up connected to itself.
 */
import { createServer } from 'node:net'

export const FIRST_PORT = 20_000
export const LAST_PORT = 29_999

export const HOST = '127.0.0.1'

/** `count` different ports on which nothing listens. */
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

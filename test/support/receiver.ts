/** HTTP servers that take what is POSTed to them, each in its own manner, however bad. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
}

/** Called with what came, and how many came before it. */
export type Manner = (response: ServerResponse, received: Received, before: number) => void

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  close(): void
}

export const takes: Manner = (response) => response.writeHead(204).end()

export async function startReceiver(manner: Manner = takes): Promise<Receiver> {
  const received: Received[] = []
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('error', () => undefined)
    response.on('error', () => undefined)
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const one = { headers: incoming.headers, body, atMs: performance.now() }
      manner(response, one, received.push(one) - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks/secret-path`,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * What one client of the HTTP port may cost: a request that does not become complete, and a reader of events
 * that does not read. Both are real sockets; the first waits for as long as the limit is.
 */
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { EventRing, type RecordedEvent } from '../../src/http/event-ring.ts'
import { EventStreams } from '../../src/io/http/event-stream.ts'
import { freePorts, sentinel, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const TOKEN = '0123456789abcdef0123456789abcdef'

test('a request that is not complete in ten seconds ends its connection, however it dawdles', async ({
  onTestFinished,
}) => {
  const folder = scratchFolder('limits')
  const [port = 0, http = 0, master = 0] = await freePorts(3)
  const lines = [`http-port: ${http}`, `http-token: ${TOKEN}`]
  const program = sentinel(folder, port, { master, quorum: 1, lines })
  onTestFinished(async () => {
    await program.kill()
  })
  program.start()
  await until('it answers', 30_000, async () => {
    return (await fetch(`http://127.0.0.1:${http}/liveness`)).status === 200
  })
  const open = (first: string, then = '') => {
    const client = new DawdlingClient(http, first, then)
    onTestFinished(() => client.stop())
    return client
  }
  const head = 'GET /liveness HTTP/1.1\r\nHost: x\r\n'
  const post = `POST /pause HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n`
  const late = {
    silent: open(''),
    // A byte every second keeps many a server waiting for ever.
    headers: open(head, 'X'),
    body: open(`${post}Content-Length: 100\r\n\r\n{`, ' '),
    chunks: open(`${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    idle: open(`${head}\r\n`),
    again: open(`${head}\r\n`, 'G'),
  }
  const events = open(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
  await until('two answers are there', 10_000, () => {
    return late.idle.heard.includes('200 OK') && late.again.heard.includes('200 OK')
  })
  for (const [name, client] of Object.entries(late)) {
    await until(`the connection is closed: ${name}`, 60_000, () => client.isClosed)
  }
  // An answer may take as long as it likes, and the next request is served as ever.
  expect(events.isClosed).toBe(false)
  expect(events.heard).toContain('retry: ')
  expect((await fetch(`http://127.0.0.1:${http}/liveness`)).status).toBe(200)
})

test('a reader of events that does not read is dropped at four megabytes, and the others miss nothing', async ({
  onTestFinished,
}) => {
  const ring = new EventRing(1_700_000_000_000)
  let tell: (event: RecordedEvent) => void = () => {}
  const follow = (told: (event: RecordedEvent) => void) => {
    tell = told
    return () => {}
  }
  const streams = new EventStreams({ ring, follow })
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    streams.open(response, request.headers['last-event-id'] as string | undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const question = (id = '') => `GET / HTTP/1.1\r\nHost: x\r\n${id}\r\n`
  const clients = [new DawdlingClient(port, question()), new DawdlingClient(port, question())]
  const [lazy, reader] = clients as [DawdlingClient, DawdlingClient]
  onTestFinished(() => {
    for (const client of clients) client.stop()
    server.closeAllConnections()
    server.close()
  })
  await until('both are there', 10_000, () => clients.every(({ heard }) => heard.includes('retry')))
  lazy.socket.pause()

  const payload = 'x'.repeat(64 * 1024)
  const firstId = ring.add('+sdown', 'first', 0).id
  let told = 0
  let most = 0
  // The kernel keeps some megabytes for a connection before anything queues up here.
  await until('the one that does not read is dropped', 60_000, async () => {
    for (let at = 0; at < 8; at++) tell(ring.add('+sdown', `${++told} ${payload}`, told))
    most = Math.max(most, ...[...open].map(({ writableLength }) => writableLength))
    await until('the other one has read everything', 20_000, () => reader.eventCount === told)
    return open.size === 1
  })
  expect(most).toBeLessThan(4 * 1024 * 1024 + 9 * payload.length)
  expect(reader.eventCount).toBe(told)

  const back = new DawdlingClient(port, question(`Last-Event-ID: ${firstId}\r\n`))
  clients.push(back)
  await until('it is back, and told that events are missing', 20_000, () => {
    return back.gapCount === 1
  })
})

/** Says something, then perhaps a little more every second, and listens. */
class DawdlingClient {
  readonly socket: Socket
  heard = ''
  eventCount = 0
  gapCount = 0
  isClosed = false
  readonly #timer: NodeJS.Timeout

  constructor(port: number, first: string, then = '') {
    this.socket = connect(port, '127.0.0.1')
    this.socket.write(first)
    this.#timer = setInterval(() => then !== '' && this.socket.write(then), 1_000)
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.eventCount += countNew(this.heard, text, '"id":')
      this.gapCount += countNew(this.heard, text, 'event: gap')
      this.heard = (this.heard + text).slice(-16 * 1024)
    })
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.isClosed = true
      clearInterval(this.#timer)
    })
  }

  stop(): void {
    clearInterval(this.#timer)
    this.socket.destroy()
  }
}

/** How often the word ends in `text`, which follows on `before`. */
function countNew(before: string, text: string, word: string): number {
  return (before.slice(1 - word.length) + text).split(word).length - 1
}

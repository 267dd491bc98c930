import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Event } from '../../src/core/event.ts'
import { Links } from '../../src/io/network/links.ts'
import { until } from '../support/until.ts'

/** Everything opened by a test, closed after it. */
const open: { close(): void }[] = []
afterEach(() => {
  for (const thing of open.splice(0)) thing.close()
})

/** A server that plays a script: the n-th piece of input is answered with the n-th text. */
async function scriptedServer(answers: readonly string[]) {
  const received: string[] = []
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received.push(chunk.toString('latin1'))
      const answer = answers[received.length - 1]
      if (answer !== undefined) socket.write(answer, 'latin1')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  open.push({
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return { port, received, sockets }
}

function collector(localAddress?: string) {
  const events: Event[] = []
  const links = new Links((event) => events.push(event), localAddress)
  open.push({ close: () => links.closeAll() })
  return { links, events }
}

async function linked(answers: readonly string[]) {
  const server = await scriptedServer(answers)
  const { links, events } = collector()
  links.open(1, '127.0.0.1', server.port)
  await until(() => events.length === 1)
  return { ...server, links, events }
}

/** What happened after the link came up. */
function later(events: readonly Event[]): readonly Event[] {
  return events.slice(1)
}

test('a link that comes up tells our own address on it and sends nothing by itself', async () => {
  const { events, received, links } = await linked(['+PONG\r\n'])
  expect(events).toEqual([{ kind: 'linkUp', link: 1, localHost: '127.0.0.1' }])
  links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => events.length === 2)
  expect(received).toEqual(['*1\r\n$4\r\nPING\r\n'])
})

test('replies come back with the purpose of their command, in order', async () => {
  const { events, links } = await linked([
    '+PONG\r\n:3\r\n-ERR no\r\n$-1\r\n*2\r\n$1\r\na\r\n:1\r\n',
  ])
  const purposes = ['ping', 'auth', 'setup', 'info', 'slaveof'] as const
  for (const kind of purposes) links.send(1, { kind }, ['X'])
  await until(() => events.length === 6)
  expect(later(events)).toEqual([
    reply('ping', { kind: 'simple', text: 'PONG' }),
    reply('auth', { kind: 'integer', value: 3 }),
    reply('setup', { kind: 'error', text: 'ERR no' }),
    reply('info', { kind: 'null' }),
    reply('slaveof', {
      kind: 'array',
      items: [
        { kind: 'bulk', bytes: 'a' },
        { kind: 'integer', value: 1 },
      ],
    }),
  ])
})

function reply(kind: string, value: unknown) {
  return { kind: 'reply', link: 1, purpose: { kind }, reply: value }
}

test('bytes pass unchanged in both directions', async () => {
  const bytes = '\x00\xff\r\n\xc3\xa9'
  const { events, links, received } = await linked([`$6\r\n${bytes}\r\n`])
  links.send(1, { kind: 'setup' }, ['ECHO', bytes])
  await until(() => events.length === 2)
  expect(received).toEqual([`*2\r\n$4\r\nECHO\r\n$6\r\n${bytes}\r\n`])
  expect(later(events)).toEqual([reply('setup', { kind: 'bulk', bytes })])
})

test('the commands of one turn leave in one piece', async () => {
  const { links, received } = await linked([])
  for (const name of ['MULTI', 'SLAVEOF', 'EXEC']) links.send(1, { kind: 'slaveof' }, [name])
  await until(() => received.length > 0)
  expect(received).toEqual(['*1\r\n$5\r\nMULTI\r\n*1\r\n$7\r\nSLAVEOF\r\n*1\r\n$4\r\nEXEC\r\n'])
})

const SUBSCRIBED = '*3\r\n$9\r\nsubscribe\r\n$1\r\nh\r\n:1\r\n'
const CONFIRMED = {
  kind: 'array',
  items: [
    { kind: 'bulk', bytes: 'subscribe' },
    { kind: 'bulk', bytes: 'h' },
    { kind: 'integer', value: 1 },
  ],
}

test('messages on a subscribed link are told with their channel', async () => {
  const message = '*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$2\r\n\xff!\r\n'
  const { events, links } = await linked([SUBSCRIBED + message])
  links.send(1, { kind: 'subscribe' }, ['SUBSCRIBE', 'h'])
  await until(() => events.length === 3)
  expect(events).toContainEqual(reply('subscribe', CONFIRMED))
  expect(events).toContainEqual({ kind: 'message', link: 1, channel: 'h', payload: '\xff!' })
})

test('commands go out under the names instances have for them, SUBSCRIBE and QUIT included', async () => {
  const message = '*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$1\r\n!\r\n'
  const { events, links, received } = await linked([`+OK\r\n${SUBSCRIBED}${message}`])
  links.send(1, { kind: 'setup' }, ['quit', 'SETNAME', 'me'])
  links.send(1, { kind: 'subscribe' }, ['listen-to', 'h'])
  await until(() => events.length === 4)
  const [said = ''] = received
  expect(said).toContain('$4\r\nquit\r\n$7\r\nSETNAME\r\n')
  expect(said).toContain('$9\r\nlisten-to\r\n$1\r\nh\r\n')
  expect(events).toContainEqual({ kind: 'message', link: 1, channel: 'h', payload: '!' })
})

test('a closed connection is told once, and its open questions not at all', async () => {
  const { events, links, sockets } = await linked([])
  links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => sockets.length === 1)
  sockets[0]?.destroy()
  await until(() => events.length === 2)
  links.send(1, { kind: 'ping' }, ['PING'])
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(later(events)).toEqual([
    { kind: 'linkLost', link: 1, reason: 'closed by the other side', isRefused: false },
  ])
})

test('a refused connection is told with the reason', async () => {
  const { port } = await scriptedServer([])
  open.pop()?.close()
  const { links, events } = collector()
  links.open(1, '127.0.0.1', port)
  await until(() => events.length === 1)
  expect(events).toEqual([{ kind: 'linkLost', link: 1, reason: 'ECONNREFUSED', isRefused: true }])
})

test('a port that cannot exist is a lost link, not a crash', async () => {
  const { links, events } = collector()
  links.open(1, '127.0.0.1', 99_999)
  await until(() => events.length === 1)
  expect(events).toMatchObject([{ kind: 'linkLost', link: 1 }])
})

test('nothing is told about a link after it was closed', async () => {
  const { links, events, sockets } = await linked([])
  links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => sockets.length === 1)
  links.close(1)
  await new Promise((resolve) => sockets[0]?.once('close', resolve))
  links.open(2, '127.0.0.1', 1)
  links.close(2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(later(events)).toEqual([])
})

test('what is said in the turn in which a link is closed is heard all the same', async () => {
  const { links, received } = await linked([])
  links.send(1, { kind: 'slaveof' }, ['EXEC'])
  links.close(1)
  await until(() => received.length === 1)
  expect(received).toEqual(['*1\r\n$4\r\nEXEC\r\n'])
})

test('a link that is closed in the middle of what has come in tells no more of it', async () => {
  const { port } = await scriptedServer(['+PONG\r\n+PONG\r\n'])
  const events: Event[] = []
  const links: Links = new Links((event) => {
    events.push(event)
    if (event.kind === 'reply') links.close(1)
  })
  open.push({ close: () => links.closeAll() })
  links.open(1, '127.0.0.1', port)
  await until(() => events.length === 1)
  for (let count = 0; count < 2; count++) links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => events.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(later(events)).toEqual([reply('ping', { kind: 'simple', text: 'PONG' })])
})

test('links that share an inbox do not hear each other', async () => {
  const { links, events } = collector()
  const LINKS = 100
  for (let id = 1; id <= LINKS; id++) {
    const { port } = await scriptedServer([`$3\r\n${String(id).padStart(3)}\r\n`])
    links.open(id, '127.0.0.1', port)
  }
  await until(() => events.length === LINKS)
  events.length = 0
  for (let id = 1; id <= LINKS; id++) links.send(id, { kind: 'ping' }, ['PING'])
  await until(() => events.length === LINKS)
  for (const event of events) {
    if (event.kind !== 'reply') throw new Error(`a ${event.kind}`)
    expect(event.reply).toEqual({ kind: 'bulk', bytes: String(event.link).padStart(3) })
  }
})

test('a reset connection is told with the reason, and not as refused', async () => {
  const { events, links, sockets, received } = await linked([])
  links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => received.length === 1)
  sockets[0]?.resetAndDestroy()
  await until(() => events.length === 2)
  expect(later(events)).toEqual([
    { kind: 'linkLost', link: 1, reason: 'ECONNRESET', isRefused: false },
  ])
})

test('links are opened from the address they are bound to', async () => {
  const { port, sockets } = await scriptedServer([])
  const { links, events } = collector('127.0.0.1')
  links.open(1, '127.0.0.1', port)
  await until(() => events.length === 1 && sockets.length === 1)
  expect(sockets[0]?.remoteAddress).toBe('127.0.0.1')
})

const HOSTILE = {
  'an unasked null': '+PONG\r\n$-1\r\n',
  'an unasked reply': '+PONG\r\n+OK\r\n',
  'a push': '>1\r\n_\r\n',
  'a RESP3 map': '%1\r\n+a\r\n+b\r\n',
  'an unknown type': '?\r\n',
  'a negative length': '$-7\r\n',
  'a gigabyte announced': '$1073741824\r\n',
  'deep nesting': '*1\r\n'.repeat(100_000),
  'a missing CRLF': '$1\r\nabc',
}

for (const [name, bytes] of Object.entries(HOSTILE)) {
  test(`${name} ends the link and nothing else`, async () => {
    const { events, links } = await linked([bytes])
    links.send(1, { kind: 'ping' }, ['PING'])
    await until(() => events.some((event) => event.kind === 'linkLost'))
    expect(events.at(-1)).toMatchObject({ reason: expect.stringContaining('protocol error') })
  })
}

test('an absurd announced length allocates nothing, and ends the link', async () => {
  const { events, links, received } = await linked(['*30000000\r\n'.repeat(8)])
  const beforeBytes = process.memoryUsage().rss
  links.send(1, { kind: 'ping' }, ['PING'])
  await until(() => received.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(later(events)).toMatchObject([
    { kind: 'linkLost', reason: 'protocol error: more than 64 values in one reply' },
  ])
  expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(100 * 1024 * 1024)
})

const HOSTILE_SUBSCRIPTIONS = {
  'an integer for a subscription': ':1\r\n',
  'an empty array for a subscription': '*0\r\n',
  'a null channel': '*3\r\n$9\r\nsubscribe\r\n$-1\r\n:1\r\n',
  'a message without a payload': `${SUBSCRIBED}*2\r\n$7\r\nmessage\r\n$1\r\nh\r\n`,
  'a null message': `${SUBSCRIBED}*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$-1\r\n`,
  'an empty array as a message': `${SUBSCRIBED}*0\r\n`,
  'a null in place of a message': `${SUBSCRIBED}$-1\r\n`,
}

for (const [name, bytes] of Object.entries(HOSTILE_SUBSCRIPTIONS)) {
  test(`${name} ends the subscribed link and nothing else`, async () => {
    const { events, links } = await linked([bytes])
    links.send(1, { kind: 'subscribe' }, ['SUBSCRIBE', 'h'])
    await until(() => events.some((event) => event.kind === 'linkLost'))
    expect(events.at(-1)).toMatchObject({ reason: expect.stringContaining('protocol error') })
  })
}

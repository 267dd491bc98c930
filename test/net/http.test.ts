/** The HTTP port of a Sentinel, as its own program opens it: TLS, token, orders, and events resumed. */
import { writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Certificates, HAS_OPENSSL, textOf } from '../support/certificates.ts'
import { freePorts, type Program, sentinel, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const TOKEN = '0123456789abcdef0123456789abcdef'
// The certificate is for the name 'own'.
const NAMED = { servername: 'own', checkServerIdentity: () => undefined }
const BEARER = { Authorization: `Bearer ${TOKEN}` }

describe.skipIf(!HAS_OPENSSL)('(need openssl)', () => {
  const folder = scratchFolder('http')
  const certificates = new Certificates()
  let program: Program | undefined
  let ca = ''
  let http = 0

  beforeAll(async () => {
    const authority = certificates.authority('ca')
    const own = certificates.issue(authority, 'own')
    ca = textOf(authority.cert)
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`)
    const [port = 0, httpPort = 0, master = 0] = await freePorts(3)
    http = httpPort
    const lines = [
      `http-port: ${http}`,
      'http-tls: yes',
      `http-token-file: ${join(folder, 'token')}`,
      'tls:',
      `  cert-file: ${own.cert}`,
      `  key-file: ${own.key}`,
      `  ca-cert-file: ${authority.cert}`,
    ]
    program = sentinel(folder, port, { master, quorum: 1, lines })
    program.start()
    await until('it answers', 10_000, async () => (await get('/liveness')).status === 200)
  })
  afterAll(async () => {
    await program?.kill()
    certificates.remove()
  })

  function send(method: string, path: string, headers: Record<string, string>): ClientRequest {
    return request({
      host: '127.0.0.1',
      port: http,
      path,
      method,
      headers,
      ca,
      agent: false,
      ...NAMED,
    })
  }

  async function get(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    body = '',
  ) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      send(method, path, headers).once('response', resolve).once('error', reject).end(body)
    })
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    return { status: response.statusCode, headers: response.headers, text }
  }

  /** Reads events until there are so many. */
  async function events(
    count: number,
    lastId?: string,
  ): Promise<{ id: string; payload: string }[]> {
    const resume: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
    const asked = send('GET', '/events', { ...BEARER, ...resume })
    let text = ''
    asked.once('response', (response: IncomingMessage) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', () => undefined)
    })
    asked.on('error', () => undefined)
    asked.end()
    await until('the stream begins', 5_000, () => text.includes('retry:'))
    if (lastId === undefined) change(4)
    const found = () =>
      [...text.matchAll(/^data: (\{"id".*)$/gm)].map(([, json = '']) => JSON.parse(json))
    await until(`${count} events come`, 5_000, () => found().length >= count)
    asked.destroy()
    return found()
  }

  /** Changes a setting, which is an event. */
  function change(quorum: number): void {
    const socket = connect(program?.port ?? 0, '127.0.0.1')
    socket.end(`SENTINEL SET mymaster quorum ${quorum}\r\n`)
    socket.resume()
  }

  test('documents need the token, probes do not, and a wrong one is told how', async () => {
    expect((await get('/readiness')).status).toBe(200)
    expect((await get('/primary?node=127.0.0.1:1')).status).toBe(503)
    const refused = await get('/cluster')
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="vedette"')
    expect((await get('/cluster', { Authorization: `Bearer ${TOKEN}x` })).status).toBe(401)
    const { status, text } = await get('/cluster', BEARER)
    expect(status).toBe(200)
    expect(JSON.parse(text).groups).toMatchObject([{ name: 'mymaster' }])
  })

  test('a token file that cannot be used at a reload is told in words, and the old token counts', async () => {
    const file = join(folder, 'token')
    writeFileSync(file, 'short\n')
    program?.signal('SIGHUP')
    const reason = `the token in http-token-file ${file} is shorter than 16 characters`
    const line = `HTTP: the token stays as it is: ${reason}; openssl rand -hex 32 makes one`
    await until('the log says why', 5_000, () => program?.log().includes(line) === true)
    expect((await get('/cluster', BEARER)).status).toBe(200)
    writeFileSync(file, `${TOKEN}\n`)
  })

  test('HEAD has no body, OPTIONS names the methods, and others are 405', async () => {
    expect(await get('/liveness', {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
    const options = await get('/cluster', {}, 'OPTIONS')
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect((await get('/cluster', {}, 'DELETE')).status).toBe(405)
    expect((await get('/nothing')).status).toBe(404)
  })

  test('a probe answers OPTIONS as GET, as HAProxy asks it unless it is told otherwise', async () => {
    for (const path of ['/liveness', '/health', '/readiness', '/primary', '/groups/nope/primary']) {
      const asked = await get(path)
      const options = await get(path, {}, 'OPTIONS')
      expect([path, options.status, options.text]).toEqual([path, asked.status, asked.text])
      expect(options.headers.allow).toBe('GET, HEAD, OPTIONS')
    }
    expect((await get('/groups/nope/primary', {}, 'OPTIONS')).status).toBe(404)
  })

  test('an order that is asked for with GET is told that it takes POST; the page and its parts are found', async () => {
    const asked = await get('/failover', BEARER)
    expect([asked.status, asked.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    for (const path of ['/', '/main.js', '/group-page.js', '/style.css', '/icon.svg']) {
      expect([path, (await get(path)).status]).toEqual([path, 200])
    }
    expect((await get('/nothing.js')).status).toBe(404)
    expect((await get('/primary', {}, 'PUT')).headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  test('an order without a token is refused, and with it gets the words of the Sentinel', async () => {
    expect((await get('/failover', {}, 'POST')).status).toBe(401)
    const { status, text } = await get('/failover', BEARER, 'POST')
    expect([status, JSON.parse(text).text]).toEqual([
      409,
      'NOGOODSLAVE No suitable replica to promote',
    ])
  })

  test.each(['5', 'true', '["mymaster"]', '{}'])(
    'an order whose group is %s is refused, not carried out for the only group',
    async (group) => {
      const { status, text } = await get(
        '/pause',
        BEARER,
        'POST',
        `{"group": ${group}, "seconds": 60}`,
      )
      expect([status, text]).toEqual([400, expect.stringContaining('group is the name of a group')])
    },
  )

  test('a pause is set and lifted by orders, and shows in the document', async () => {
    const pause = await get('/pause', BEARER, 'POST', '{"seconds": 60, "reason": "new switch"}')
    expect([pause.status, pause.text]).toEqual([200, expect.any(String)])
    const { groups } = JSON.parse((await get('/cluster', BEARER)).text)
    expect(groups[0].paused).toMatchObject({ reason: 'new switch' })
    expect((await get('/resume', BEARER, 'POST')).status).toBe(200)
    expect((await get('/pause', BEARER, 'POST', '{"second": 60}')).status).toBe(400)
  })

  test('a reader of events that comes back gets what it missed, and nothing twice', async () => {
    const seen = await events(1)
    const last = seen.at(-1)?.id
    for (const quorum of [2, 3]) change(quorum)
    const missed = await events(2, last)
    const payloads = missed.map(({ payload }) => payload).filter((one) => one.includes('quorum'))
    expect(payloads.map((one) => one.at(-1)).sort()).toEqual(['2', '3'])
    expect(missed.map(({ id }) => id)).not.toContain(last)
  })

  test('a connection that is kept for many requests piles nothing up', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, ...NAMED })
    for (let at = 0; at < 30; at++) {
      const { status } = await fetched(agent)
      expect(status).toBe(200)
    }
    agent.destroy()
    // Node warns of the eleventh listener of a kind.
    expect(program?.log()).not.toContain('MaxListenersExceededWarning')
  })

  function fetched(agent: Agent): Promise<{ status: number | undefined }> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: http, path: '/liveness', agent })
      asked.once('error', reject).once('response', (response: IncomingMessage) => {
        response.resume().once('end', () => resolve({ status: response.statusCode }))
      })
      asked.end()
    })
  }

  test('garbage on the port harms nobody', async () => {
    const socket = connect(http, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end('\0\xff garbage\r\n\r\n')
    expect((await get('/liveness')).status).toBe(200)
  })
})

/** Webhooks and hooks beside receivers and programs that are slow, broken or hostile, on real sockets. */
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import type { Answer } from '../../src/core/external-query.ts'
import { WEBHOOK_DEFAULTS, type WebhookConfig } from '../../src/hooks/webhook-config.ts'
import { askHook } from '../../src/io/hooks/pre-failover.ts'
import { Webhooks } from '../../src/io/hooks/webhooks.ts'
import { odown } from '../hooks/support.ts'
import { until } from '../support/processes.ts'
import { type Manner, type Receiver, startReceiver, takes } from '../support/receiver.ts'
import { scratchFolder } from '../support/scratch.ts'

const folder = scratchFolder('receivers')

interface Stage {
  readonly hooks: Webhooks
  readonly lines: string[]
}

function webhooksTo(url: string, change: Partial<WebhookConfig> = {}): Stage {
  const lines: string[] = []
  const { events, timeoutMs, queue, giveUpAfterMs } = WEBHOOK_DEFAULTS
  const config: WebhookConfig = {
    ...{ name: 'ops', url, events, timeoutMs, queue, giveUpAfterMs, groups: [], headers: [] },
    ...{ secret: { kind: 'none' }, template: { kind: 'json' }, caFile: '', ...change },
  }
  const hooks = new Webhooks([config], {
    sender: { host: 'here', port: 1 },
    logger: { log: (level, text) => lines.push(`${level} ${text}`) },
    rng: createRng('webhooks'),
  })
  onTestFinished(() => hooks.close())
  return { hooks, lines }
}

async function receiver(manner: Manner): Promise<Receiver> {
  const started = await startReceiver(manner)
  onTestFinished(() => started.close())
  return started
}

/** `each` of the events, told apart by their epochs. */
function offer({ hooks }: Stage, count: number): void {
  for (let epoch = 1; epoch <= count; epoch++) hooks.offer(odown({ epoch }))
}

function epochs({ received }: Receiver): number[] {
  return received.map(({ body }) => JSON.parse(body).epoch)
}

test('a receiver that never answers holds up nothing but its own queue, which stays bounded', async () => {
  const silent = await receiver(() => undefined)
  const well = await receiver(takes)
  const stage = webhooksTo(silent.url, { timeoutMs: 300, queue: 10 })
  const other = webhooksTo(well.url, { name: 'other', queue: 10_000 })
  const startedMs = performance.now()
  for (let epoch = 1; epoch <= 5_000; epoch++) {
    stage.hooks.offer(odown({ epoch }))
    other.hooks.offer(odown({ epoch }))
  }
  const tookMs = performance.now() - startedMs
  expect(tookMs).toBeLessThan(1_000)
  await until('the other receiver has some', 10_000, () => well.received.length > 100)
  await until('it is tried again', 5_000, () => silent.received.length >= 2)
  expect(new Set(epochs(silent)).size).toBe(1)
  expect(stage.lines.join('\n')).toContain('no answer within 300 ms; next attempt in')
  expect(stage.lines.filter((line) => line.includes('is dropped'))).toHaveLength(1)
  expect(stage.lines.length).toBeLessThan(5)
})

test('order is kept over failures, repetitions have the same id, and the receiver learns of the gap', async () => {
  let isWell = false
  const flaky = await receiver((response, received, before) => {
    if (isWell) takes(response, received, before)
    else if (before % 2 === 0) response.writeHead(500).end('x'.repeat(100))
    else response.destroy()
  })
  const stage = webhooksTo(flaky.url, { queue: 3 })
  offer(stage, 1)
  await until('the first attempt', 5_000, () => flaky.received.length === 1)
  offer(stage, 6)
  await until('the second attempt', 5_000, () => flaky.received.length === 2)
  isWell = true
  await until('all that was kept has come', 10_000, () => flaky.received.length >= 6)
  const ids = flaky.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids.slice(0, 3)).size).toBe(1)
  const bodies = flaky.received.slice(2).map(({ body }) => JSON.parse(body))
  expect(bodies.map(({ epoch, dropped }) => [epoch, dropped])).toEqual([
    [1, 0],
    [4, 3],
    [5, 0],
    [6, 0],
  ])
  expect(stage.lines.at(-1)).toMatch(
    /accepts events again, after 3 attempts; 3 were dropped so far/,
  )
})

test.each([
  ['301', 'a redirect to http://127.0.0.1:1, which is not followed'],
  ['404', 'it answers 404'],
])(
  'a receiver that answers %s loses the event at once and gets the next one',
  async (status, why) => {
    const wrong = await receiver((response) => {
      response.writeHead(Number(status), { location: 'http://127.0.0.1:1/elsewhere?token=x' }).end()
    })
    const stage = webhooksTo(wrong.url)
    offer(stage, 3)
    await until('each is tried once', 5_000, () => wrong.received.length === 3)
    expect(epochs(wrong)).toEqual([1, 2, 3])
    await until('it is logged', 2_000, () => stage.lines.length > 0)
    expect(stage.lines[0]).toContain(why)
    expect(stage.lines.join()).not.toContain('token')
  },
)

test('bodies without end, and bodies that were promised and never come, cost neither time nor memory', async () => {
  const endless = await receiver((response, _, before) => {
    if (before === 0) return void response.writeHead(200, { 'content-length': '10' }).write('x')
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  const stage = webhooksTo(endless.url)
  const before = process.memoryUsage().rss
  offer(stage, 20)
  await until('all have come', 5_000, () => endless.received.length === 20)
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  expect(stage.lines).toEqual([])
})

test('a server that speaks no HTTP, and one that refuses connections, are named and tried again', async () => {
  const babble = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('SSH-2.0-OpenSSH_9.2\r\n')
  })
  const port = await listening(babble)
  onTestFinished(() => void babble.close())
  const noHttp =
    /: it does not answer in HTTP \(HPE_\w+\); if it speaks TLS, its URL begins with https;/
  for (const [to, reason] of [[port, noHttp] as const, [1, /ECONNREFUSED;/] as const]) {
    const stage = webhooksTo(`http://127.0.0.1:${to}/`)
    offer(stage, 1)
    await until('the log says so', 5_000, () =>
      stage.lines.some((one) => reason.test(one) && one.includes('next attempt in')),
    )
  }
})

test('a webhook that a reload did not change keeps what waits, and one that is gone says what it lost', async () => {
  let isWell = false
  const late = await receiver((response, received, before) => {
    if (isWell) takes(response, received, before)
    else response.writeHead(503, { 'retry-after': '0' }).end()
  })
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, 'one')
  const secret = { kind: 'file', value: secretFile } as const
  const stage = webhooksTo(late.url, { secret })
  offer(stage, 2)
  await until('the first attempt', 5_000, () => late.received.length > 0)
  writeFileSync(secretFile, 'two')
  const { events, timeoutMs, queue, giveUpAfterMs } = WEBHOOK_DEFAULTS
  const same: WebhookConfig = {
    ...{
      name: 'ops',
      url: late.url,
      events,
      timeoutMs,
      queue,
      giveUpAfterMs,
      groups: [],
      headers: [],
    },
    ...{ secret, template: { kind: 'json' }, caFile: '' },
  }
  stage.hooks.change([same])
  isWell = true
  await until('both have come', 5_000, () => new Set(epochs(late)).size === 2)
  isWell = false
  offer(stage, 3)
  stage.hooks.change([])
  expect(stage.lines.at(-1)).toBe('warning webhook ops: 3 events were not delivered and are lost')
})

// Hooks before a failover.

const REQUEST = {
  ...{ group: 'g', master: { host: '10.0.0.1', port: 6379 }, epoch: 5, quorum: 2 },
  ...{ downForMs: 1_000, replicas: [], by: 'a'.repeat(40) },
}

function ask(hook: string, timeoutMs = 1_000): Promise<Answer> {
  return askHook({ kind: 'preFailover', hook, timeoutMs, request: REQUEST })
}

function program(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

/** The answer, and how long it took. */
async function timed(hook: string, timeoutMs: number): Promise<{ answer: Answer; tookMs: number }> {
  const startedMs = performance.now()
  const answer = await ask(hook, timeoutMs)
  return { answer, tookMs: performance.now() - startedMs }
}

test('a program answers by its exit status, and its first line is the reason', async () => {
  const yes = program('yes', ['test "$*" = "g 10.0.0.1 6379 5 1000"'])
  expect(await ask(yes)).toMatchObject({ allows: true })
  const no = program('no', ['echo "change freeze until Monday"', 'echo more', 'exit 3'])
  expect(await ask(no)).toMatchObject({ allows: false, reason: 'change freeze until Monday' })
  expect(await ask('/nowhere/hook')).toMatchObject({ kind: 'failed' })
})

test('a program that hangs is killed at its bound, and one that leaves a process behind is not waited for', async () => {
  const hanging = program('hanging', ['echo $$ > "$0.pid"', 'exec sleep 60'])
  const { answer, tookMs } = await timed(hanging, 400)
  expect(answer).toMatchObject({ kind: 'failed', reason: 'it did not end within 400 ms' })
  expect(tookMs).toBeLessThan(1_500)
  const leaving = program('leaving', ['sleep 3 &', 'exit 0'])
  const left = await timed(leaving, 2_500)
  expect(left.answer).toMatchObject({ allows: true })
  expect(left.tookMs).toBeLessThan(2_000)
})

test('fifty hooks at once: sixteen programs run, all are answered within their bound', async () => {
  const slow = program('slow', ['sleep 0.1'])
  const startedMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(slow, 5_000)))
  expect(performance.now() - startedMs).toBeLessThan(15_000)
  expect(answers).toHaveLength(50)
  expect(answers.filter((one) => one.kind === 'preFailover').length).toBeGreaterThanOrEqual(16)
})

test.each<[string, Manner, string]>([
  ['never answers', () => undefined, 'no answer within 400 ms'],
  ['closes', (response) => response.destroy(), 'ECONNRESET'],
  ['answers 500', (response) => response.writeHead(500).end(), 'it answers 500'],
  [
    'redirects',
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    'it answers 307',
  ],
  [
    'sends too much',
    (response) => response.writeHead(200).end('x'.repeat(1_000_000)),
    'it answers more than 16384 bytes',
  ],
  [
    'sends a byte now and then',
    (response) => {
      const timer = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(timer))
    },
    'no answer within 400 ms',
  ],
])('a service that %s says nothing, within the bound', async (_, manner, reason) => {
  const bad = await receiver(manner)
  const { answer, tookMs } = await timed(bad.url, 400)
  expect(answer).toEqual({ kind: 'failed', reason })
  expect(tookMs).toBeLessThan(1_500)
})

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

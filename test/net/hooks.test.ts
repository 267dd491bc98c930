/** Hooks and log lines of real processes: a receiver that checks signatures, and redis-sentinel's own log. */
import { createHmac } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { untilAnswering } from '../support/adversary.ts'
import {
  freePorts,
  HAS_REDIS_SENTINEL,
  masterPort,
  node,
  type Program,
  sentinel,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { type Received, startReceiver, takes } from '../support/receiver.ts'
import { scratchFolder } from '../support/scratch.ts'

const SECRET = 'a secret of the test'

test('a failover is put to the hook first, and its course comes signed, in order, and once', async ({
  onTestFinished,
}) => {
  const folder = scratchFolder('hooks')
  const [a = 0, b = 0, port = 0] = await freePorts(3)
  const receiver = await startReceiver()
  const hook = await startReceiver((response, received, before) => {
    if (before > 0) takes(response, received, before)
    else response.writeHead(403).end('{"allow": false, "reason": "change freeze"}')
  })
  const nodes = [node(folder, a), node(folder, b, [`replicaof 127.0.0.1 ${a}`])]
  const watcher = sentinel(folder, port, { master: a, quorum: 1, downAfterMs: 400 })
  onTestFinished(async () => {
    receiver.close()
    hook.close()
    await stopAll(folder, [...nodes, watcher])
  })
  writeFileSync(join(watcher.folder, 'secret'), `${SECRET}\n`)
  const config = join(watcher.folder, 'sentinel.yml')
  const lines = [
    `    pre-failover-hook: "${hook.url}"`,
    'webhooks:',
    `  - {name: ops, url: "${receiver.url}", events: all, secret-file: secret}`,
  ]
  appendFileSync(config, `${lines.join('\n')}\n`)
  for (const one of nodes) one.start()
  // A Sentinel that is there before its master says +odown of it, which is no part of the failover's course.
  for (const one of nodes) await untilAnswering(one)
  watcher.start()
  await until('the replica is known', 10_000, () => eventsIn(receiver.received).includes('+slave'))
  await nodes[0]?.kill()
  await until('the failover is over', 10_000, () =>
    eventsIn(receiver.received).includes('+failover-end'),
  )
  expect(masterPort(watcher)).toBe(b)

  const events = eventsIn(receiver.received)
  const course = ['+odown', '-failover-refused-by-hook', '+elected-leader', '+promoted-slave']
  expect(events.filter((name) => course.includes(name))).toEqual(course)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies.map(({ sequence }) => sequence)).toEqual(bodies.map((_, at) => at + 1))
  expect(bodies.find(({ event }) => event === '-failover-refused-by-hook')).toMatchObject({
    ...{ group: 'mymaster', evidence: 'change freeze', epoch: 0 },
    instance: { role: 'master', host: '127.0.0.1', port: a },
  })
  expect(receiver.received.every(isSigned)).toBe(true)
  expect(hook.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'vedette.pre-failover', group: 'mymaster', master: { port: a }, epoch: 1 },
    { type: 'vedette.pre-failover', group: 'mymaster', master: { port: a }, epoch: 1 },
  ])
  // The address of a chat system's webhook is its password.
  expect(watcher.log()).not.toContain('secret-path')
})

function eventsIn(received: readonly Received[]): string[] {
  return received.map(({ body }) => JSON.parse(body).event)
}

/** As docs/hooks.md shows it. */
function isSigned({ headers, body }: Received): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers
  const mac = createHmac('sha256', SECRET).update(`${id}.${time}.${body}`).digest('base64')
  return signature === `v1,${mac}` && Math.abs(Date.now() / 1_000 - Number(time)) < 60
}

const LINE = /^\d+:X \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3} ([.*#-]) (.*)$/

test.skipIf(!HAS_REDIS_SENTINEL)(
  'log-format redis writes the lines that redis-sentinel writes (need redis-sentinel)',
  async ({ onTestFinished }) => {
    const folder = scratchFolder('redis-lines')
    const [nobody = 0, ...ports] = await freePorts(3)
    const watchers = ports.map((port, at) => {
      const isRedis = at === 0
      const dir = join(folder, String(port))
      mkdirSync(dir)
      const path = join(dir, 'sentinel.conf')
      writeFileSync(path, `${linesOf(port, dir, nobody, isRedis).join('\n')}\n`)
      return sentinelOn(path, port, `${dir}.log`, isRedis)
    })
    onTestFinished(() => stopAll(folder, watchers))
    for (const one of watchers) one.start()
    for (const one of watchers) {
      await until(`${one.port} says O_DOWN`, 10_000, () => one.log().includes('+odown'))
    }
    const [theirs, ours] = watchers.map(eventLines)
    expect(theirs?.length).toBe(4)
    expect(ours).toEqual(theirs)
    const own = (watchers[1] as Program).log().trim().split('\n')
    expect(own.filter((line) => !LINE.test(line))).toEqual([])
  },
)

function linesOf(port: number, dir: string, master: number, isRedis: boolean): string[] {
  return [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`],
    `sentinel monitor mymaster 127.0.0.1 ${master} 1`,
    'sentinel down-after-milliseconds mymaster 200',
    ...(isRedis ? [] : ['log-format redis']),
  ]
}

/** Level and text of the lines that tell the Sentinel's id, for which programs that start one wait, and the master's death. */
function eventLines(program: Program): string[] {
  const lines = program.log().split('\n')
  const parsed = lines.map((line) => LINE.exec(line)?.slice(1).join(' ') ?? '')
  const told = parsed.filter((line) => /^. (Sentinel ID is|\+(monitor|sdown|odown)) /.test(line))
  return told.map((line) => line.replace(/[0-9a-f]{40}/, 'ID'))
}

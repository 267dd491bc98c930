/**
 * Hellos that no honest Sentinel sends, by whoever may publish, and names that were meant for a shell, a
 * terminal or a log: nobody is made up by them, nothing is run, and every line of a log stays one line.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { oneLine } from '../../src/base/one-line.ts'
import { createRng } from '../../src/base/rng.ts'
import { ask, HAS_PROC, residentBytes, runIdOf, say, untilAnswering } from '../support/adversary.ts'
import {
  freePorts,
  node,
  type Program,
  sentinel,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const HELLO = '__sentinel__:hello'
const MIB = 1024 * 1024

async function watched(context: TestContext): Promise<{ master: Program; watcher: Program }> {
  const folder = scratchFolder('hellos')
  const [one = 0, two = 0] = await freePorts(2)
  const master = node(folder, one)
  const watcher = sentinel(folder, two, { master: one, quorum: 1 })
  context.onTestFinished(() => stopAll(folder, [master, watcher]))
  for (const program of [master, watcher]) {
    program.start()
    await untilAnswering(program)
  }
  await until('the Sentinel listens to the channel', 10_000, async () => {
    return (await ask(one, 'PUBSUB', 'NUMSUB', HELLO)) === `${HELLO} 1`
  })
  return { master, watcher }
}

/** One thing is wrong with each. */
function malformed(master: number): readonly string[] {
  const [id, at] = [runIdOf('a'), `127.0.0.1,${master}`]
  const huge = 'x'.repeat(100_000)
  return [
    ...['', ',', ',,,,,,,', '\0', huge, `${huge},1,${id},0,mymaster,${at},0`.slice(0, 50_000)],
    `,26379,${id},0,mymaster,${at},0`,
    ...['0', '-1', '65536', '1e3', '0x1', ' 1', '99999999999999999999'].map(
      (port) => `127.0.0.1,${port},${id},0,mymaster,${at},0`,
    ),
    ...['', 'short', 'A'.repeat(40), 'g'.repeat(40), 'a'.repeat(41), `${'a'.repeat(39)}\n`].map(
      (wrong) => `127.0.0.1,26379,${wrong},0,mymaster,${at},0`,
    ),
    ...['-1', 'NaN', '1.5', '18446744073709551616', '281474976710657'].flatMap((epoch) => [
      `127.0.0.1,26379,${id},${epoch},mymaster,${at},0`,
      `127.0.0.1,26379,${id},0,mymaster,${at},${epoch}`,
    ]),
    ...['', 'other', 'MYMASTER', 'mymaster\r\n'].map(
      (group) => `127.0.0.1,26379,${id},0,${group},${at},0`,
    ),
    `127.0.0.1,26379,${id},0,mymaster,,6379,9`,
    `127.0.0.1,26379,${id},0,mymaster,127.0.0.1,0,9`,
    `127.0.0.1,26379,${id},0,mymaster,${at},0,more`,
    `127.0.0.1,26379,${id},0,mymaster,${at}`,
  ]
}

/** Names that mean something elsewhere. No resolver is asked: a Sentinel takes addresses only, by default. */
const ODD_HOSTS = [
  ...['$(touch pwned)', '`id`', '; touch pwned', '../../etc/passwd', '%n%s', '\x1b[2J', 'a b'],
  ...['x'.repeat(300), '256.256.256.256', '0x7f.1', '127.1', '::ffff:1.2.3.4.5', 'localhost\0'],
]

test('malformed hellos, and hellos from odd hosts, make no peer and move no master', async (context) => {
  const { master, watcher } = await watched(context)
  const odd = ODD_HOSTS.flatMap((host, n) => {
    const id = n.toString(16).padStart(40, '0')
    const from = `${host},26379,${id},0,mymaster,127.0.0.1,${master.port},0`
    return [from, `127.0.0.1,26379,${id},0,mymaster,${host},6379,7`.replace('127.0.0.1', host)]
  })
  const payloads = [...malformed(master.port), ...odd]
  for (const port of [master.port, watcher.port]) {
    await say(port, ...payloads.map((payload) => ['PUBLISH', HELLO, payload]))
  }
  await ask(watcher.port, 'PING')
  expect(await ask(watcher.port, 'SENTINEL', 'SENTINELS', 'mymaster')).toBe('')
  expect(await address(watcher)).toBe(`127.0.0.1 ${master.port}`)
  expectOneLineEach(watcher)
})

test('five thousand made-up hellos: bounded memory, and the master is watched as before', async (context) => {
  const { master, watcher } = await watched(context)
  const beforeBytes = HAS_PROC ? residentBytes(watcher) : 0
  const rng = createRng('made up')
  const hellos = Array.from({ length: 5_000 }, () => {
    const from = `127.0.0.1,${1 + rng.below(100)},${rng.hex(40)}`
    return ['PUBLISH', HELLO, `${from},0,mymaster,127.0.0.1,${master.port},0`]
  })
  await say(master.port, ...hellos)
  await until('the Sentinel is through', 15_000, async () => {
    return (await ask(watcher.port, 'PING')) === 'PONG'
  })
  expect(await address(watcher)).toBe(`127.0.0.1 ${master.port}`)
  if (HAS_PROC) expect(residentBytes(watcher) - beforeBytes).toBeLessThan(150 * MIB)
  master.signal('SIGSTOP')
  await until('silence is noticed as ever', 10_000, () => watcher.log().includes('+sdown master'))
  master.signal('SIGCONT')
})

/** Without blanks, which no name may have. */
const ODD_NAMES = [
  ...['$(>pwned)', '`>pwned`', ';>pwned', '|>pwned', '&&>pwned', '>pwned'],
  ...['--help', '-n', '*', '~', '"', "'"],
]

test('names reach scripts as arguments, and no shell ever reads them', async (context) => {
  const folder = scratchFolder('script')
  const [port = 0, master = 0] = await freePorts(2)
  const dir = join(folder, 'dir')
  mkdirSync(dir)
  const [script, told] = [join(dir, 'script.sh'), join(dir, 'told')]
  writeFileSync(script, `#!/bin/sh\nprintf '<%s>' "$@" >> ${told}\n`, { mode: 0o700 })
  const path = join(folder, 'sentinel.conf')
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`]
  writeFileSync(path, [...lines, 'sentinel deny-scripts-reconfig no', ''].join('\n'))
  const program = sentinelOn(path, port, join(folder, 'sentinel.log'), false)
  context.onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await untilAnswering(program)
  for (const name of ODD_NAMES) {
    const replies = await say(
      port,
      ['SENTINEL', 'MONITOR', name, '127.0.0.1', String(master), '1'],
      ['SENTINEL', 'SET', name, 'notification-script', script],
      ['SENTINEL', 'SET', name, 'quorum', '2'],
    )
    expect(replies.map((one) => one.kind)).toEqual(['simple', 'simple', 'simple'])
  }
  await until('every name is told', 10_000, () => {
    const text = existsSync(told) ? readFileSync(told, 'latin1') : ''
    return ODD_NAMES.every((name) => text.includes(`<master ${name} 127.0.0.1`))
  })
  expect(existsSync(join(dir, 'pwned')) || existsSync(join(folder, 'pwned'))).toBe(false)
})

test('by default nobody sets a script over the network', async (context) => {
  const { watcher } = await watched(context)
  for (const option of ['notification-script', 'client-reconfig-script']) {
    expect(await ask(watcher.port, 'SENTINEL', 'SET', 'mymaster', option, '/bin/sh')).toContain(
      'deny-scripts-reconfig',
    )
  }
  expect(
    await ask(watcher.port, 'SENTINEL', 'CONFIG', 'SET', 'deny-scripts-reconfig', 'no'),
  ).toMatch(/^ERR/)
})

test('what strangers say reaches the log on one line, without control characters', async (context) => {
  const { master, watcher } = await watched(context)
  const nasty = 'x\r\n{"level":"warn","msg":"+switch-master forged"}\n\x1b[31m\x07'
  for (const program of [master, watcher]) {
    await say(
      program.port,
      ...[['CLIENT', 'SETNAME', nasty], ['AUTH', nasty, nasty], [nasty], ['GET', nasty]],
      ...[['SENTINEL', 'MONITOR', nasty, '127.0.0.1', '1', '1']],
      ...[['SENTINEL', 'SET', 'mymaster', 'auth-pass', nasty]],
      ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', String(master.port), '7', nasty],
      ...[
        ['PUBLISH', HELLO, nasty],
        ['REPLCONF', 'listening-port', '1'],
        ['ACL', 'SETUSER', nasty],
      ],
    )
    expectOneLineEach(program)
    expect(program.log()).not.toMatch(/^.*"msg":"\+switch-master forged/m)
  }
  // A node's own words about its master come from that master.
  await say(master.port, ['REPLICAOF', nasty, '1'], ['REPLICAOF', 'no', 'one'])
  expectOneLineEach(master)
})

/** Logs are lines of JSON here, and one event is one of them. */
function expectOneLineEach(program: Program): void {
  for (const line of program.log().trimEnd().split('\n')) {
    const { msg } = JSON.parse(line)
    expect(msg).toBe(oneLine(msg))
  }
}

function address({ port }: Program): Promise<string> {
  return ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
}

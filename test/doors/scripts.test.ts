/**
 * Scripts of a whole cluster at work: which of them a failover runs at whom, and with which words. The
 * same is asked of redis-sentinel, which says whether we run what it would. Scripts run side by side, so
 * nothing here depends on the order in which they ended.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  masterField,
  masterPort,
  node,
  Program,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

/** All events that are warnings and belong to a group, as far as a failover knows them. */
const WARNINGS: readonly string[] = [
  ...['+monitor', '+sdown', '-sdown', '+odown', '-odown', '+new-epoch', '+vote-for-leader'],
  ...['+try-failover', '+elected-leader', '+failover-state-select-slave', '+selected-slave'],
  ...['+promoted-slave', '+failover-state-reconf-slaves', '+failover-end', '+switch-master'],
  ...['+failover-end-for-timeout', '-failover-abort-not-elected', '+config-update-from'],
]
const AT_THE_LEADER: readonly string[] = [
  ...['+monitor', '+sdown', '+odown', '+new-epoch', '+try-failover', '+vote-for-leader'],
  ...['+elected-leader', '+failover-state-select-slave', '+selected-slave', '+promoted-slave'],
  ...['+failover-state-reconf-slaves', '+failover-end', '+switch-master'],
]
const AT_AN_OBSERVER: readonly string[] = [
  ...['+monitor', '+sdown', '+new-epoch', '+vote-for-leader', '+config-update-from'],
  '+switch-master',
]

type Kind = 'ours' | 'redis'

const KINDS: readonly (readonly [needs: string, kind: Kind, isThere: boolean])[] = [
  ['our Sentinel, with redis-cli', 'ours', HAS_REDIS_CLI],
  ['redis-sentinel, with redis-cli', 'redis', HAS_REDIS_CLI && HAS_REDIS_SENTINEL],
]

for (const [needs, kind, isThere] of KINDS) {
  describe.skipIf(!isThere)(`scripts of ${needs}`, () => {
    test('in a failover tell of the leader and the observers, and of warnings only', () =>
      expectCalls(kind))

    test('are run again, or not, by what they exit with', ({ onTestFinished }) =>
      expectOutcomes(kind, onTestFinished))

    test('are killed when they take too long, and tried again', ({ onTestFinished }) =>
      expectTimeout(kind, onTestFinished))
  })
}

type AtEnd = (clean: () => Promise<void>) => void

/** One group per script, all over a master that does not exist: each is told of the group at once. */
async function startWith(
  kind: Kind,
  bodies: Readonly<Record<string, string>>,
  atEnd: AtEnd,
): Promise<{ one: Program; master: number; paths: ReadonlyMap<string, string> }> {
  const folder = scratchFolder('test')
  const [master, port] = (await freePorts(2)) as [number, number]
  const paths = new Map(
    Object.entries(bodies).map(([name, body]) => [name, script(folder, name, body)]),
  )
  const lines = [...paths].flatMap(([name, path]) => [
    `sentinel monitor ${name} 127.0.0.1 ${master} 1`,
    `sentinel notification-script ${name} ${path}`,
  ])
  const one = sentinel(folder, port, kind, lines)
  atEnd(() => stopAll(folder, [one]))
  one.start()
  return { one, master, paths }
}

async function expectOutcomes(kind: Kind, atEnd: AtEnd): Promise<void> {
  const bodies = { fails: 'exit 3', again: 'exit 1', slow: 'exec sleep 30' }
  const { one, master, paths } = await startWith(kind, bodies, atEnd)
  await until('the failed script is an error', 10_000, () =>
    one.log().includes(`-script-error ${paths.get('fails')} 0 3`),
  )
  const left = await until('the two others are left', 10_000, () => {
    const pending = pendingScripts(one)
    return pending.length === 2 && pending.some(({ flags }) => flags === 'scheduled') && pending
  })
  const again = left.find(({ flags }) => flags === 'scheduled')
  const slow = left.find(({ flags }) => flags === 'running')
  expect(Object.keys(again ?? {})).toEqual(['argv', 'flags', 'pid', 'run-delay', 'retry-num'])
  expect(Object.keys(slow ?? {})).toEqual(['argv', 'flags', 'pid', 'run-time', 'retry-num'])
  const argv = [paths.get('again'), '+monitor', `master again 127.0.0.1 ${master} quorum 1`]
  expect(again).toMatchObject({ argv, pid: '0', 'retry-num': '1' })
  expect(Number(again?.['run-delay'])).toBeGreaterThan(20_000)
  expect(slow).toMatchObject({ 'retry-num': '1' })
  expect(cli(one.port, 'INFO', 'sentinel').map((line) => line.trim())).toEqual(
    expect.arrayContaining(['sentinel_running_scripts:1', 'sentinel_scripts_queue_length:2']),
  )
  await expectToOutlive(one, Number(slow?.pid))
}

/** A Sentinel that ends neither waits for what runs nor kills it. */
async function expectToOutlive(one: Program, pid: number): Promise<void> {
  process.kill(pid, 0)
  one.signal('SIGTERM')
  await until('the Sentinel is gone', 10_000, () => !one.isRunning)
  process.kill(pid, 'SIGKILL')
}

async function expectTimeout(kind: Kind, atEnd: AtEnd): Promise<void> {
  const { one, paths } = await startWith(kind, { slow: 'exec sleep 30' }, atEnd)
  const pid = await until('it runs', 10_000, () => {
    const running = Number(pendingScripts(one)[0]?.pid)
    return running > 0 && running
  })
  expect(cli(one.port, 'SENTINEL', 'DEBUG', 'script-max-runtime', '300')).toEqual(['OK'])
  await until('it is killed', 10_000, () =>
    one.log().includes(`-script-timeout ${paths.get('slow')} ${pid}`),
  )
  await until('it waits for its second run', 10_000, () => {
    const [left] = pendingScripts(one)
    return left?.flags === 'scheduled' && left['retry-num'] === '1'
  })
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
}

/** Kills a master under three Sentinels of a kind, and looks at what each of them has called. */
async function expectCalls(kind: Kind): Promise<void> {
  const folder = scratchFolder('test')
  const ports = await freePorts(6)
  const [master, ...replicas] = ports.slice(0, 3) as [number, number, number]
  const nodes = [
    node(folder, master),
    ...replicas.map((port) => node(folder, port, [`replicaof 127.0.0.1 ${master}`])),
  ]
  const sentinels = ports.slice(3).map((port) => reporter(folder, port, kind, master))
  try {
    for (const one of [...nodes, ...sentinels]) one.start()
    await settled(sentinels)
    await nodes[0]?.kill()
    await until('all have switched', 30_000, () =>
      sentinels.every((one) => called(one, 'notify').some(([event]) => event === '+switch-master')),
    )
    const promoted = masterPort(sentinels[0] as Program)
    await expectReconfigCalls(sentinels, master, promoted)
    for (const one of sentinels) await expectNotifications(one, master, promoted)
  } finally {
    await stopAll(folder, [...nodes, ...sentinels])
  }
}

/** One leader, and everybody else an observer; all were told the same addresses, once. */
async function expectReconfigCalls(
  sentinels: readonly Program[],
  master: number,
  promoted: number,
): Promise<void> {
  await until('the scripts have run', 10_000, () =>
    sentinels.every((one) => called(one, 'reconfig').length > 0),
  )
  const calls = sentinels.flatMap((one) => called(one, 'reconfig'))
  const addresses = ['start', '127.0.0.1', `${master}`, '127.0.0.1', `${promoted}`]
  expect(calls.toSorted()).toEqual([
    ['mymaster', 'leader', ...addresses],
    ['mymaster', 'observer', ...addresses],
    ['mymaster', 'observer', ...addresses],
  ])
}

async function expectNotifications(one: Program, master: number, promoted: number): Promise<void> {
  const isLeader = called(one, 'reconfig')[0]?.[1] === 'leader'
  const needed = isLeader ? AT_THE_LEADER : AT_AN_OBSERVER
  const heard = await until('every warning has been told', 10_000, () => {
    const calls = called(one, 'notify')
    return needed.every((event) => calls.some(([name]) => name === event)) && calls
  })
  expect(heard.filter(([event = '']) => !WARNINGS.includes(event))).toEqual([])
  expect(heard).toContainEqual(['+sdown', `master mymaster 127.0.0.1 ${master}`])
  const change = `mymaster 127.0.0.1 ${master} 127.0.0.1 ${promoted}`
  expect(heard.filter(([event]) => event === '+switch-master')).toEqual([
    ['+switch-master', change],
  ])
}

/** The calls of one of its scripts, each the words after the path. */
function called(one: Program, name: 'notify' | 'reconfig'): string[][] {
  const lines = readFileSync(join(one.folder, `${name}.out`), 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => line.split('|'))
}

/** A Sentinel whose scripts write down how they were called. */
function reporter(folder: string, port: number, kind: Kind, master: number): Program {
  const dir = join(folder, String(port))
  mkdirSync(dir)
  const scripts = ['notify', 'reconfig'].map((name) => {
    const out = join(dir, `${name}.out`)
    writeFileSync(out, '')
    // One short write to the end of a file is never torn, however many scripts do so at once. One that
    // comes too late must not put the file back while the folder is being removed.
    return script(dir, name, `IFS='|'; [ ! -f '${out}' ] || printf '%s\\n' "$*" >> '${out}'`)
  })
  return sentinel(folder, port, kind, [
    `sentinel monitor mymaster 127.0.0.1 ${master} 2`,
    // A redis-sentinel opens connections once a second.
    `sentinel down-after-milliseconds mymaster ${kind === 'redis' ? 2_500 : 1_000}`,
    'sentinel failover-timeout mymaster 5000',
    `sentinel notification-script mymaster ${scripts[0]}`,
    `sentinel client-reconfig-script mymaster ${scripts[1]}`,
  ])
}

function sentinel(folder: string, port: number, kind: Kind, lines: readonly string[]): Program {
  const dir = join(folder, String(port))
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'sentinel.conf')
  const own = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`]
  writeFileSync(path, `${[...own, ...lines].join('\n')}\n`)
  return kind === 'redis'
    ? new Program(port, `${dir}.log`, 'redis-sentinel', [path])
    : new Program(port, `${dir}.log`, process.execPath, [MAIN, 'sentinel', path])
}

function script(folder: string, name: string, body: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

async function settled(sentinels: readonly Program[]): Promise<void> {
  for (const one of sentinels) {
    await until(`${one.port} knows everybody`, 25_000, () => {
      const others = masterField(one, 'num-other-sentinels')
      return others === '2' && masterField(one, 'num-slaves') === '2'
    })
  }
}

/** Each entry by field; all fields are single words but `argv`. */
function pendingScripts(one: Program): Record<string, string | string[]>[] {
  const text = cli(one.port, '--json', 'SENTINEL', 'PENDING-SCRIPTS').join('\n')
  return JSON.parse(text)
}

/**
 * The black box of real processes: Sentinels of a cluster with passwords are recorded through random
 * faults, killed and started again among them, and their records are played. VEDETTE_LONG asks for
 * forty faults, VEDETTE_SEED for others.
 */
import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { openSegment, segmentPaths } from '../../src/io/blackbox/segment-reader.ts'
import {
  cli,
  masterField,
  type Program,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

const FAULTS = process.env.VEDETTE_LONG ? 40 : 6
const SEED = process.env.VEDETTE_SEED ?? 'blackbox'
/** Long enough for a failover, not for every repair behind it. */
const FAULT_MS = 2_500
const PASSWORD = 'never-in-a-record'

let cluster: RealCluster

beforeAll(async () => {
  cluster = await startCluster({
    downAfterMs: 500,
    failoverTimeoutMs: 3_000,
    sentinelLines: ['black-box: yes', `users: ["watcher on >${PASSWORD} ~* &* +@all"]`],
  })
}, 60_000)

afterAll(() => cluster.stop())

test(`through ${FAULTS} random faults, every decision is the same when the records are played`, async () => {
  const rng = createRng(SEED)
  for (let fault = 0; fault < FAULTS; fault++) await injure(rng)
  await until('a master answers', 20_000, () =>
    cluster.sentinels.some((one) => one.isRunning && masterField(one, 'flags') === 'master'),
  )
  for (const { port } of cluster.sentinels) cli(port, 'AUTH', 'watcher', PASSWORD)
  for (const { port } of cluster.sentinels) cli(port, 'AUTH', 'watcher', `${PASSWORD}-but-wrong`)
  for (const one of cluster.sentinels) await stop(one)
  const folders = cluster.sentinels.map(recordOf)
  for (const folder of folders) {
    const played = await vedette('replay', folder)
    expect(played).toMatchObject({ status: 0, stderr: '' })
    expect(played.stdout).toContain('all the same when played again')
  }
  const all = await vedette('replay', '--events', ...folders)
  expect(all.stdout).toContain('+switch-master')
}, 400_000)

test('a moment shows what the Sentinel believed then; wrong questions are told how', async () => {
  const folder = recordOf(cluster.sentinels[0] as Program)
  const { stdout } = await vedette('replay', '--events', folder)
  const at = /^(\S+) {2}\+switch-master/m.exec(stdout)?.[1] ?? ''
  const shown = await vedette('replay', '--at', at, folder)
  expect(shown).toMatchObject({ status: 0, stderr: '' })
  expect(shown.stdout).toMatch(
    /^at \S+:\nSentinel [0-9a-f]{40}, epoch \d+.*\n\nmymaster: quorum 2, /,
  )
  const early = await vedette('replay', '--at', '2001-01-01T00:00:00Z', folder)
  expect(early).toMatchObject({ status: 1, stdout: '' })
  expect(early.stderr).toContain('the record begins after 2001-01-01T00:00:00.000Z')
  for (const wrong of [['--at', 'yesterday'], ['--events', '--json'], ['--step']]) {
    expect(await vedette('replay', ...wrong, folder), wrong.join(' ')).toMatchObject({ status: 2 })
  }
  const nowhere = await vedette('replay', `${folder}-gone`)
  expect(nowhere).toMatchObject({ status: 1, stdout: '' })
  expect(nowhere.stderr).toContain('-gone, offset 0: cannot be read: ENOENT')
})

test('no password is in any frame of the records', () => {
  const texts = cluster.sentinels.flatMap((one) => segmentPaths([recordOf(one)]).flatMap(framesOf))
  expect(texts.length).toBeGreaterThan(5)
  expect(texts.some((text) => text.includes('AUTH'))).toBe(true)
  expect(texts.filter((text) => text.includes(PASSWORD))).toEqual([])
})

test('a record that ends in the middle of a frame is read up to there', async () => {
  const path = segmentPaths([recordOf(cluster.sentinels[0] as Program)]).at(-1) ?? ''
  const whole = readFileSync(path)
  const before = blocksIn(path)
  truncateSync(path, whole.length - 5)
  expect(blocksIn(path)).toBe(before - 1)
  expect(await vedette('replay', path)).toMatchObject({ status: 0, stderr: '' })
})

/** What befalls a process: it is killed, or stands still for a while. */
async function injure(rng: Rng): Promise<void> {
  const victim = rng.pick([...cluster.nodes, ...cluster.sentinels])
  if (rng.chance(1, 2)) {
    await victim.kill()
    await pass(FAULT_MS)
    victim.start()
  } else {
    victim.signal('SIGSTOP')
    await pass(FAULT_MS)
    victim.signal('SIGCONT')
  }
  await pass(rng.below(1_000))
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function stop(program: Program): Promise<void> {
  program.signal('SIGTERM')
  await until('it has ended', 10_000, () => !program.isRunning)
}

function recordOf(sentinel: Program): string {
  const name = readdirSync(sentinel.folder).find((file) => file.endsWith('.blackbox'))
  return join(sentinel.folder, name ?? 'no record')
}

function blocksIn(path: string): number {
  return [...(openSegment(path)?.blocks() ?? [])].length
}

/** The frames of a file, unpacked, without the reader of the program. */
function framesOf(path: string): string[] {
  const file = readFileSync(path)
  const texts = []
  for (let at = file.indexOf('\n') + 1; at + 13 < file.length; ) {
    const length = file.readUInt32BE(at + 1)
    texts.push(inflateRawSync(file.subarray(at + 13, at + 13 + length)).toString())
    at += 13 + length
  }
  return texts
}

/**
 * The black box of real processes: Sentinels of a cluster with passwords are recorded through random
 * faults, killed and started again among them, and their records are played. VEDETTE_LONG asks for
 * forty faults, VEDETTE_SEED for others, VEDETTE_DATA=redis for data nodes of Redis.
 */
import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { segmentsAt } from '../../src/io/blackbox/records-at.ts'
import { openSegment } from '../../src/io/blackbox/segment-reader.ts'
import {
  agreedMaster,
  cli,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

const FAULTS = process.env.VEDETTE_LONG ? 40 : 4
const SEED = process.env.VEDETTE_SEED ?? 'blackbox'
/** Long enough for a failover, not for every repair behind it. */
const FAULT_MS = 2_500
const PASSWORD = 'never-in-a-record'

let cluster: RealCluster

beforeAll(async () => {
  cluster = await startCluster({
    downAfterMs: 500,
    failoverTimeoutMs: 3_000,
    hasRealNodes: process.env.VEDETTE_DATA === 'redis',
    sentinelLines: [`users: ["watcher on >${PASSWORD} ~* &* +@all"]`],
  })
}, 60_000)

afterAll(() => cluster.stop())

test(`through ${FAULTS} random faults, every decision is the same when the records are played`, async () => {
  await loseTheMaster()
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
  const late = await vedette('replay', '--at', '2301-01-01T00:00:00Z', folder)
  expect(late).toMatchObject({ status: 0, stdout: expect.stringMatching(/^at \S+:\nSentinel /) })
  expect(late.stderr).toMatch(/^vedette: the record ends at \S+: this is its last moment\n$/)
  for (const wrong of [['--at', 'yesterday'], ['--events', '--json'], ['--step']]) {
    expect(await vedette('replay', ...wrong, folder), wrong.join(' ')).toMatchObject({ status: 2 })
  }
  const nowhere = await vedette('replay', `${folder}-gone`)
  expect(nowhere).toMatchObject({ status: 2, stdout: '' })
  expect(nowhere.stderr).toContain('-gone: there is no such file or folder')
})

test('the records of all Sentinels together tell the failovers; wrong questions are told how', async () => {
  const folders = cluster.sentinels.map(recordOf)
  const last = await vedette('incident', ...folders)
  expect(last).toMatchObject({ status: 0, stderr: '' })
  expect(last.stdout).toMatch(/^mymaster: /)
  expect(last.stdout).toMatch(/as its exchanges with the others show, to within \d+ ms/)
  const all = await vedette('incident', '--since', '2001-01-01T00:00:00Z', '--json', ...folders)
  const { incidents, clocks } = JSON.parse(all.stdout)
  // A Sentinel that chance has killed lost its last second, so not every story has all its parts.
  const whole = incidents.filter(({ title, sentences }: ToldIncident) => {
    const parts = ['is the first to hold', 'is elected after', 'The Sentinels announce']
    const told = sentences.map(({ text }) => text).join(' ')
    return /failover from/.test(title) && parts.every((part) => told.includes(part))
  })
  expect(whole.length).toBeGreaterThan(0)
  expect(clocks.length).toBeGreaterThanOrEqual(3)
  const never = await vedette('incident', '--at', '2001-01-01T00:00:00Z', ...folders)
  expect(never).toMatchObject({ status: 1, stdout: '' })
  expect(never.stderr).toContain('these Sentinels suspected no master in that time')
  expect(
    await vedette('incident', '--last', '--at', '2001-01-01T00:00:00Z', ...folders),
  ).toMatchObject({
    status: 2,
  })
}, 60_000)

test('no password is in any frame of the records', () => {
  const texts = cluster.sentinels.flatMap((one) =>
    segmentsAt([recordOf(one)]).flatMap(({ path }) => framesOf(path)),
  )
  expect(texts.length).toBeGreaterThan(5)
  expect(texts.some((text) => text.includes('AUTH'))).toBe(true)
  expect(texts.filter((text) => text.includes(PASSWORD))).toEqual([])
})

test('a record that ends in the middle of a frame is read up to there', async () => {
  const path = segmentsAt([recordOf(cluster.sentinels[0] as Program)]).at(-1)?.path ?? ''
  const whole = readFileSync(path)
  const before = blocksIn(path)
  truncateSync(path, whole.length - 5)
  expect(blocksIn(path)).toBe(before - 1)
  expect(await vedette('replay', path)).toMatchObject({ status: 0, stderr: '' })
})

interface ToldIncident {
  readonly title: string
  readonly sentences: readonly { readonly text: string }[]
}

/** Whatever chance brings: there is one failover at least. */
async function loseTheMaster(): Promise<void> {
  for (const one of cluster.sentinels) if (!one.isRunning) one.start()
  const [first] = cluster.sentinels
  const port = await until('a Sentinel names a master', 20_000, () => first && masterPort(first))
  const master = cluster.nodes.find((node) => node.port === port)
  await master?.kill()
  await agreedMaster(cluster, port, 20_000)
  master?.start()
}

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
  return [...(openSegment({ path })?.blocks() ?? [])].length
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

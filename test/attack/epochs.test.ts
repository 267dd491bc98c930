/**
 * Epochs and run ids nobody should believe, against real processes: after the liar falls silent an ordinary
 * failover comes in its ordinary time. And a fleet whose state an older program has let be poisoned is
 * cured by `vedette epochs --lower`.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { decodeState, encodeState } from '../../src/config/state-file.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import {
  agreedMaster,
  cli,
  HAS_REDIS_CLI,
  type Program,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'

const DOWN_AFTER_MS = 500
/** Detection, election, promotion and the switch everywhere, on a busy machine. */
const ORDINARY_MS = 4_000
const ABSURD = [2 ** 48 - 1, 2 ** 48, 2 ** 53 - 1, '9223372036854775807', '-1']

let cluster: RealCluster | undefined
afterEach(async () => {
  await cluster?.stop()
  cluster = undefined
})

async function settledCluster(): Promise<RealCluster> {
  cluster = await startCluster({ downAfterMs: DOWN_AFTER_MS })
  return cluster
}

function masterOf({ nodes }: RealCluster): Program {
  const [master] = nodes
  if (master === undefined) throw new Error('no master')
  return master
}

/** Says all of it in one go, and waits until it was taken in. */
async function say(port: number, commands: readonly (readonly string[])[]): Promise<void> {
  const client = await RawClient.connect(port)
  client.send(commands.map(encodeCommand).join('') + encodeCommand(['PING']))
  await client.untilReceived((received) => received.includes('+PONG'))
  client.close()
}

async function expectOrdinaryFailover(all: RealCluster): Promise<void> {
  await masterOf(all).kill()
  await agreedMaster(all, masterOf(all).port, ORDINARY_MS)
}

function publish(hello: readonly (string | number)[]): readonly string[] {
  return ['PUBLISH', '__sentinel__:hello', hello.join(',')]
}

describe.skipIf(!HAS_REDIS_CLI)('a stranger', () => {
  test('who tells of absurd epochs, at every door, stops no failover', async () => {
    const all = await settledCluster()
    const { port } = masterOf(all)
    for (const sentinel of all.sentinels) {
      const [id = ''] = cli(sentinel.port, 'SENTINEL', 'MYID')
      const hellos = ABSURD.flatMap((epoch) =>
        [id, 'e'.repeat(40)].flatMap((runId) => [
          publish(['127.0.0.1', sentinel.port, runId, epoch, 'mymaster', '127.0.0.1', port, 0]),
          publish(['127.0.0.1', sentinel.port, runId, 0, 'mymaster', '127.0.0.1', port, epoch]),
        ]),
      )
      const questions = ABSURD.map((epoch) => {
        const ask = ['SENTINEL', 'is-master-down-by-addr', '127.0.0.1', `${port}`, `${epoch}`]
        return [...ask, 'd'.repeat(40)]
      })
      await say(port, hellos)
      await say(sentinel.port, [...hellos, ...questions])
    }
    await expectOrdinaryFailover(all)
    const { stdout } = await vedette('epochs', '--sentinel', `127.0.0.1:${all.sentinels[0]?.port}`)
    expect(stdout).toMatch(/all epochs are sound/)
  }, 30_000)

  test('who makes up Sentinels raises no majority', async () => {
    const all = await settledCluster()
    const { port } = masterOf(all)
    const hellos = Array.from({ length: 1_500 }, (_, at) => {
      const runId = at.toString(16).padStart(40, '0')
      // On the loopback interface, where nobody listens.
      const host = `127.9.${at >> 8}.${at & 255}`
      return publish([host, 9, runId, 0, 'mymaster', '127.0.0.1', port, 0])
    })
    for (const sentinel of all.sentinels) await say(sentinel.port, hellos)
    await expectOrdinaryFailover(all)
  }, 30_000)
})

describe.skipIf(!HAS_REDIS_CLI)('a poisoned fleet', () => {
  /** What an older program has believed: one at the end of all numbers, the others far apart. */
  function poison(sentinel: Program, at: number): void {
    const name = readdirSync(sentinel.folder).find((file) => file.endsWith('.state'))
    if (name === undefined) throw new Error(`no state file in ${sentinel.folder}`)
    const path = join(sentinel.folder, name)
    const decoded = decodeState(readFileSync(path, 'latin1'))
    if (!decoded.ok) throw new Error(decoded.reason)
    const currentEpoch = [2 ** 53 - 1, 2 ** 48, 3][at] ?? 0
    const groups = decoded.value.groups.map((one) => ({ ...one, leaderEpoch: currentEpoch }))
    const state: SavedState = { ...decoded.value, currentEpoch, groups }
    writeFileSync(path, encodeState(state), 'latin1')
  }

  function lower(all: RealCluster, ...words: readonly string[]) {
    return vedette('epochs', ...words, '--sentinel', `127.0.0.1:${all.sentinels[1]?.port}`)
  }

  test('is cured with all Sentinels, or not at all, and fails over then', async () => {
    const all = await settledCluster()
    await Promise.all(all.sentinels.map((one) => one.kill()))
    for (const [at, one] of all.sentinels.entries()) poison(one, at)
    for (const one of all.sentinels.slice(0, 2)) one.start()
    await until('two Sentinels are back', 5_000, async () => (await lower(all)).status === 1)
    const { stdout } = await lower(all, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unsound', unknown: [{ program: null }] })
    await until('what is wrong is told', 5_000, async () => {
      const { stderr, status } = await lower(all, '--lower')
      return status === 1 && /which does not answer: start it/.test(stderr)
    })
    all.sentinels[2]?.start()
    const cured = await until('they are lowered', 5_000, async () => {
      const outcome = await lower(all, '--lower')
      if (outcome.status !== 0) throw new Error(outcome.stdout + outcome.stderr)
      return outcome
    })
    expect(cured.stdout).toMatch(/all epochs are lowered to 4/)
    const { outcome, sentinels, unknown } = JSON.parse((await lower(all, '--json')).stdout)
    expect([outcome, sentinels.length, unknown]).toEqual(['sound', 3, []])
    await expectOrdinaryFailover(all)
  }, 30_000)

  test('is told by each Sentinel: without an epoch, and left behind by the others', async () => {
    const all = await settledCluster()
    await Promise.all(all.sentinels.map((one) => one.kill()))
    const [first, , last] = all.sentinels
    if (first === undefined || last === undefined) throw new Error('three Sentinels')
    for (const one of all.sentinels.slice(0, 2)) poison(one, 0)
    for (const file of readdirSync(last.folder)) {
      if (/\.state(\.copy)?$/.test(file)) rmSync(join(last.folder, file))
    }
    for (const one of all.sentinels) one.start()
    await until('the one that forgot all names the others', 10_000, async () => {
      const told = await vedette('epochs', '--sentinel', `127.0.0.1:${last.port}`)
      return /is out of reach from 0(.|\n)*--sentinel HOST:PORT, once for each/.test(told.stderr)
    })
    // Until they know that it has another run id now, the others count it twice.
    const [newId = ''] = cli(last.port, 'SENTINEL', 'MYID')
    const knowsItAnew = ({ port }: Program) => {
      const words = cli(port, 'SENTINEL', 'SENTINELS', 'mymaster')
      return words.includes(newId) && words.filter((word) => word === 'runid').length === 2
    }
    await until('both know it by its new run id alone', 10_000, () =>
      all.sentinels.slice(0, 2).every(knowsItAnew),
    )
    expect(cli(first.port, 'SENTINEL', 'CKQUORUM', 'mymaster').join()).toMatch(/No epoch is left/)
    const at = `127.0.0.1:${first.port}`
    expect(await vedette('status', '--sentinel', at)).toMatchObject({ status: 3 })
    const told = await vedette('explain', 'mymaster', '--sentinel', at)
    expect(told).toMatchObject({ status: 1 })
    expect(told.stdout).toMatch(/one Sentinel\s+could\s+vote/)
  }, 30_000)
})

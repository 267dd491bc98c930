/**
 * A Sentinel that is killed in the middle of a failover, at whichever of its steps: what it has told
 * anybody is on disk, so it comes back as itself, keeps its vote, and the failover ends all the same.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { decodeState } from '../../src/config/state-file.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import {
  agreedMaster,
  cli,
  follows,
  HAS_REDIS_CLI,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

/** The event it dies at, in the order they come in, and when it is started again. */
const CRASHES = [
  '+odown',
  '+vote-for-leader',
  '+elected-leader',
  '+promoted-slave',
  '+switch-master',
] as const
const NOBODY = 'f'.repeat(40)

interface Vote {
  readonly leader: string
  readonly leaderEpoch: number
}

/** What a Sentinel was heard to say before it was killed. */
interface LastWords {
  readonly sentinel: Program
  readonly epoch: number
  /** Undefined: it gave none. */
  readonly vote: Vote | undefined
}

describe.skipIf(!HAS_REDIS_CLI)('a Sentinel killed in a failover (needs redis-tools)', () => {
  let cluster: RealCluster

  beforeAll(async () => {
    cluster = await startCluster({ downAfterMs: 500 })
  })
  afterAll(() => cluster?.stop())

  test.each(CRASHES)('at %s and started again at once is who it was', async (moment) => {
    const ids = new Map(cluster.sentinels.map((one) => [one, cli(one.port, 'SENTINEL', 'MYID')[0]]))
    const killing = await killedAt(moment)
    const lost = currentMaster()
    await lost.kill()
    const { sentinel, epoch, vote } = await until(
      `a Sentinel says ${moment} and is gone`,
      30_000,
      () => killing.words,
    )

    const saved = savedState(sentinel)
    expect(saved.myid).toBe(ids.get(sentinel))
    expect(saved.currentEpoch).toBeGreaterThanOrEqual(epoch)
    if (vote !== undefined) expect(saved.groups[0]).toMatchObject(vote)

    sentinel.start()
    await until('it answers again', 5_000, () => cli(sentinel.port, 'PING')[0] === 'PONG')
    expect(cli(sentinel.port, 'SENTINEL', 'MYID')[0]).toBe(ids.get(sentinel))
    const configEpoch = saved.groups[0]?.configEpoch ?? 0
    expect(Number(masterField(sentinel, 'config-epoch'))).toBeGreaterThanOrEqual(configEpoch)
    expect(savedState(sentinel).currentEpoch).toBeGreaterThanOrEqual(saved.currentEpoch)
    if (vote !== undefined) await expectKept(sentinel, vote)

    const promoted = await agreedMaster(cluster, lost.port, 10_000)
    lost.start()
    await until('the lost node follows the new master', 15_000, () => follows(lost, promoted))
  })

  function currentMaster(): Program {
    const port = masterPort(cluster.sentinels[0] as Program)
    return cluster.nodes.find((node) => node.port === port) as Program
  }

  /** Resolves once all are listened to; then the first Sentinel that says so is killed at once. */
  async function killedAt(moment: string): Promise<{ readonly words: LastWords | undefined }> {
    const killing: { words: LastWords | undefined } = { words: undefined }
    let isOver = false
    const kill = (last: LastWords): void => {
      if (isOver) return
      isOver = true
      void last.sentinel.kill().then(() => {
        killing.words = last
      })
    }
    await Promise.all(cluster.sentinels.map((one) => listen(one, moment, kill)))
    return killing
  }

  async function listen(
    sentinel: Program,
    moment: string,
    hit: (words: LastWords) => void,
  ): Promise<void> {
    const redis = new Redis({ port: sentinel.port, retryStrategy: () => null })
    redis.on('error', () => undefined)
    onTestFinished(() => redis.disconnect())
    let words: LastWords = { sentinel, epoch: 0, vote: undefined }
    redis.on('pmessage', (_pattern, channel: string, text: string) => {
      words = { ...words, ...meaningOf(channel, text) }
      if (channel === moment) hit(words)
    })
    await redis.psubscribe('*')
  }
})

function meaningOf(channel: string, text: string): Partial<LastWords> {
  if (channel === '+new-epoch') return { epoch: Number(text) }
  if (channel !== '+vote-for-leader') return {}
  const [leader = '', epoch] = text.split(' ')
  return { vote: { leader, leaderEpoch: Number(epoch) } }
}

function savedState(sentinel: Program): SavedState {
  const path = join(sentinel.folder, `sentinel-${sentinel.port}.state`)
  const decoded = decodeState(readFileSync(path, 'latin1'))
  if (!decoded.ok) throw new Error(`${path}: ${decoded.reason}`)
  return decoded.value
}

/** Asks for a vote for nobody in the same epoch: the answer is the vote given, or one in a later epoch. */
async function expectKept(sentinel: Program, vote: Vote): Promise<void> {
  const [leader, epoch] = await until('it tells its vote', 5_000, () => {
    const master = String(masterPort(sentinel))
    const question = [
      'IS-MASTER-DOWN-BY-ADDR',
      '127.0.0.1',
      master,
      String(vote.leaderEpoch),
      NOBODY,
    ]
    const [, ...answer] = cli(sentinel.port, 'SENTINEL', ...question)
    // No answer about an address that was the master's until a moment ago.
    return answer[1] !== '0' && answer
  })
  if (Number(epoch) > vote.leaderEpoch) return expect(leader).not.toBe(NOBODY)
  expect(Number(epoch)).toBe(vote.leaderEpoch)
  // Once the failover has succeeded, nobody is told who led it.
  expect([vote.leader, '*']).toContain(leader)
}

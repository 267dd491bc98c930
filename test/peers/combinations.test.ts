/**
 * Ours and Redis' own in one group, in every mixture of Sentinels and data nodes: everything that can
 * happen to a group while a fleet is migrated. Who leads is settled by the settings: the other kind is
 * told to be patient for an hour, so that it votes and follows but finds nobody down.
 */
import { describe, expect, test } from 'vitest'
import {
  agreedMaster,
  cli,
  follows,
  HAS_REDIS,
  masterField,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
  writeThrough,
} from '../support/processes.ts'

/** A redis-sentinel opens connections once a second; with less than this it takes that for a death. */
const DOWN_AFTER_MS = 2_500
/** Redis-sentinels often split their votes, and try again after twice this time. */
const FAILOVER_TIMEOUT_MS = 3_000
const HOUR_MS = 3_600_000
const REFUSED_AFTER_MS = 250
/**
 * A redis-sentinel asks for INFO every ten seconds, and turns a false master back eight seconds after. One
 * that has not heard of a promotion yet may undo it, which costs down-after, twenty seconds and a failover.
 */
const REPAIR_BOUND_MS = 90_000
const FAILOVER_BOUND_MS = 40_000

const QUORUM = 2

type Kind = 'ours' | 'redis'

const MIXTURES = [
  { realSentinels: 0, hasRealNodes: true },
  { realSentinels: 1, hasRealNodes: true },
  { realSentinels: 2, hasRealNodes: true },
  { realSentinels: 1, hasRealNodes: false },
  { realSentinels: 2, hasRealNodes: false },
  { realSentinels: 3, hasRealNodes: false },
]

describe.skipIf(!HAS_REDIS)('needs redis-server and redis-sentinel', () => {
  for (const mixture of MIXTURES) {
    const { realSentinels, hasRealNodes } = mixture
    const name = `${3 - realSentinels} Sentinels of ours and ${realSentinels} of Redis over ${
      hasRealNodes ? 'redis-servers' : 'our nodes'
    }`
    test.concurrent(`${name}: every kind leads, follows, restarts, is reset`, async ({
      onTestFinished,
    }) => {
      const times = { downAfterMs: DOWN_AFTER_MS, failoverTimeoutMs: FAILOVER_TIMEOUT_MS }
      const cluster = await startCluster({ ...mixture, ...times })
      onTestFinished(() => cluster.stop())
      for (const kind of kindsIn(cluster)) await masterDies(cluster, kind)
      for (const kind of kindsIn(cluster)) await operatorAsks(cluster, kind)
      await masterHangs(cluster)
      for (const kind of kindsIn(cluster)) await sentinelHangs(cluster, kind)
      for (const kind of kindsIn(cluster)) await sentinelRestarts(cluster, kind)
      for (const kind of kindsIn(cluster)) await sentinelIsReset(cluster, kind)
    })
  }
})

/** Killed, failed over by a leader of that kind, and a replica of the new one when it returns. */
async function masterDies(cluster: RealCluster, kind: Kind): Promise<void> {
  await letLead(cluster, kind)
  // On a busy machine one of the other kind may have begun a failover before.
  await expectRest(cluster)
  const before = cluster.sentinels.map((sentinel) => sentinel.log().length)
  const master = currentMaster(cluster)
  const replicas = cluster.nodes.filter((node) => node !== master)
  await writeThrough(master, replicas, 'key', 'last words')
  await master.kill()
  const promoted = await agreedMaster(cluster, master.port, FAILOVER_BOUND_MS)
  // A leader says so in its log before it promotes.
  expect(electedSince(cluster, before)).toEqual([kind])
  expect(cli(promoted, 'GET', 'key')).toEqual(['last words'])
  master.start()
  await expectRest(cluster)
  await letAllLead(cluster)
}

/** SENTINEL FAILOVER at a Sentinel of that kind, which all others learn of by its hellos. */
async function operatorAsks(cluster: RealCluster, kind: Kind): Promise<void> {
  const sentinel = ofKind(cluster, kind)[0] as Program
  const before = masterPort(sentinel)
  await until(`${sentinel.port} takes the order`, REPAIR_BOUND_MS, () => {
    return cli(sentinel.port, 'SENTINEL', 'FAILOVER', 'mymaster')[0] === 'OK'
  })
  await agreedMaster(cluster, before, FAILOVER_BOUND_MS)
  await expectRest(cluster)
}

/** Stopped longer than down-after; when it goes on it must not stay a second master. */
async function masterHangs(cluster: RealCluster): Promise<void> {
  const master = currentMaster(cluster)
  master.signal('SIGSTOP')
  await agreedMaster(cluster, master.port, FAILOVER_BOUND_MS)
  master.signal('SIGCONT')
  await expectRest(cluster)
}

/** Stopped while the others fail over; in the TILT it wakes up in it follows their configuration. */
async function sentinelHangs(cluster: RealCluster, kind: Kind): Promise<void> {
  const sentinel = ofKind(cluster, kind)[0] as Program
  const others = cluster.sentinels.filter((one) => one !== sentinel)
  const before = masterPort(others[0] as Program)
  sentinel.signal('SIGSTOP')
  await until('another one takes the order', REPAIR_BOUND_MS, () => {
    return cli(others[0]?.port ?? 0, 'SENTINEL', 'FAILOVER', 'mymaster')[0] === 'OK'
  })
  await agreedMaster({ ...cluster, sentinels: others }, before, FAILOVER_BOUND_MS)
  // Longer than any Sentinel takes for a pause of its own.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  sentinel.signal('SIGCONT')
  await until(`${sentinel.port} is in TILT`, 5_000, () => isTilted(sentinel))
  await expectRest(cluster)
}

/** A Sentinel that was killed comes back as who it was, knowing what it knew. */
async function sentinelRestarts(cluster: RealCluster, kind: Kind): Promise<void> {
  const sentinel = ofKind(cluster, kind)[0] as Program
  const before = { id: cli(sentinel.port, 'SENTINEL', 'MYID'), master: masterPort(sentinel) }
  await sentinel.kill()
  sentinel.start()
  await until(`${sentinel.port} answers again`, 10_000, () => masterPort(sentinel) > 0)
  const after = { id: cli(sentinel.port, 'SENTINEL', 'MYID'), master: masterPort(sentinel) }
  expect(after).toEqual(before)
  await expectRest(cluster)
}

/** RESET forgets replicas and peers; INFO and hellos bring them back. */
async function sentinelIsReset(cluster: RealCluster, kind: Kind): Promise<void> {
  const sentinel = ofKind(cluster, kind)[0] as Program
  expect(cli(sentinel.port, 'SENTINEL', 'RESET', 'mymaster')).toEqual(['1'])
  await expectRest(cluster)
}

/**
 * All Sentinels name one master and know everybody, at the same config epoch, and the other nodes follow
 * it. Mostly the one that was just promoted; see REPAIR_BOUND_MS.
 */
async function expectRest(cluster: RealCluster): Promise<void> {
  await until('everybody is at rest', REPAIR_BOUND_MS, () => {
    const views = cluster.sentinels.map(viewOf)
    const [first] = views
    const rest = { ...first, flags: 'master', others: '2', replicas: '2' }
    const master = Number(first?.port)
    const others = cluster.nodes.filter(({ port }) => port !== master)
    return (
      views.every((view) => isSame(view, rest)) && others.every((node) => follows(node, master))
    )
  })
}

function isTilted(sentinel: Program): boolean {
  return cli(sentinel.port, 'INFO', 'sentinel').some((line) => line.startsWith('sentinel_tilt:1'))
}

function viewOf(sentinel: Program) {
  return {
    port: masterField(sentinel, 'port'),
    flags: masterField(sentinel, 'flags'),
    others: masterField(sentinel, 'num-other-sentinels'),
    replicas: masterField(sentinel, 'num-slaves'),
    epoch: masterField(sentinel, 'config-epoch'),
  }
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Only Sentinels of this kind can find the master down; the others still vote. */
async function letLead(cluster: RealCluster, kind: Kind): Promise<void> {
  for (const sentinel of cluster.sentinels) {
    const mayLead = kindOf(sentinel) === kind
    set(sentinel, 'down-after-milliseconds', mayLead ? DOWN_AFTER_MS : HOUR_MS)
    // Two of ours would not wait for that: they have evidence.
    if (kindOf(sentinel) === 'ours')
      set(sentinel, 'refused-after', mayLead ? REFUSED_AFTER_MS : HOUR_MS)
    set(sentinel, 'quorum', mayLead ? Math.min(QUORUM, ofKind(cluster, kind).length) : QUORUM)
  }
}

async function letAllLead(cluster: RealCluster): Promise<void> {
  for (const sentinel of cluster.sentinels) {
    set(sentinel, 'down-after-milliseconds', DOWN_AFTER_MS)
    if (kindOf(sentinel) === 'ours') set(sentinel, 'refused-after', REFUSED_AFTER_MS)
    set(sentinel, 'quorum', QUORUM)
  }
}

function set(sentinel: Program, option: string, value: number): void {
  expect(cli(sentinel.port, 'SENTINEL', 'SET', 'mymaster', option, String(value))).toEqual(['OK'])
}

/** The kinds of those that were elected since their logs had these lengths. */
function electedSince(cluster: RealCluster, lengths: readonly number[]): Kind[] {
  const elected = cluster.sentinels.filter((sentinel, index) =>
    sentinel.log().slice(lengths[index]).includes('+elected-leader'),
  )
  return [...new Set(elected.map(kindOf))]
}

function currentMaster(cluster: RealCluster): Program {
  const port = masterPort(cluster.sentinels[0] as Program)
  return cluster.nodes.find((node) => node.port === port) as Program
}

function kindsIn(cluster: RealCluster): Kind[] {
  return (['ours', 'redis'] as const).filter((kind) => ofKind(cluster, kind).length > 0)
}

function ofKind(cluster: RealCluster, kind: Kind): readonly Program[] {
  return cluster.sentinels.filter((sentinel) => kindOf(sentinel) === kind)
}

function kindOf(sentinel: Program): Kind {
  return sentinel.isRedis ? 'redis' : 'ours'
}

/** Advice about the Sentinels: how many there are, on how many boxes, and how many must agree. */
import { majorityOf } from './cluster.ts'
import { type AdviceFinding, type Evidence, hasDoubt, seenIn, wordSeen } from './evidence.ts'

export function adviseSentinels(evidence: Evidence): AdviceFinding[] {
  return [
    ...adviseQuorum(evidence),
    ...adviseQuorumOne(evidence),
    ...adviseNumber(evidence),
    ...adviseBoxes(evidence),
  ]
}

function adviseQuorum(evidence: Evidence): AdviceFinding[] {
  const { cluster, group } = evidence
  if (!hasDoubt(group, 'W_QUORUM_ABOVE_MAJORITY', 'E_QUORUM_UNREACHABLE')) return []
  const count = cluster.sentinels.length
  const seen = seenIn(
    evidence,
    ({ outcome, ableSentinels }) => outcome === 'missing' && (ableSentinels ?? 0) < group.quorum,
  )
  const text = 'a majority was there to replace the lost master, and the quorum was not'
  return [
    {
      setting: `quorum ${group.quorum} of ${count}`,
      effect: quorumEffect(group.quorum, count),
      seen: wordSeen(evidence, seen, text),
      ...seen,
      tryThis: `quorum ${majorityOf(cluster)}`,
    },
  ]
}

function quorumEffect(quorum: number, count: number): string {
  const needed = count - quorum + 1
  if (needed <= 0) return 'it can never be reached: no failover happens at all'
  if (needed === 1) return 'one dead Sentinel blocks every failover'
  return `${needed} dead Sentinels block every failover, although a majority is left`
}

function adviseQuorumOne(evidence: Evidence): AdviceFinding[] {
  const { cluster, group } = evidence
  if (!hasDoubt(group, 'W_QUORUM_ONE')) return []
  const seen = seenIn(evidence, ({ needless }) => needless > 0)
  return [
    {
      setting: 'quorum 1',
      effect: 'one Sentinel with a bad link is enough to call the master down',
      seen: wordSeen(evidence, seen, 'a master was replaced needlessly'),
      ...seen,
      tryThis: `quorum ${Math.max(2, majorityOf(cluster))}`,
    },
  ]
}

function adviseNumber(evidence: Evidence): AdviceFinding[] {
  const { cluster, group } = evidence
  if (!hasDoubt(group, 'W_FEW_SENTINELS', 'W_EVEN_SENTINELS')) return []
  const count = cluster.sentinels.length
  const isFew = count < 3
  const seen = seenIn(evidence, ({ lacking }) => lacking === 'majority')
  const text = 'the master was lost for good, and no majority was left to replace it'
  return [
    {
      setting: count === 1 ? '1 Sentinel' : `${count} Sentinels`,
      effect: isFew
        ? 'the loss of one ends all failovers'
        : `they survive the loss of ${count - majorityOf(cluster)}, as ${count - 1} would`,
      seen: wordSeen(evidence, seen, text),
      ...seen,
      tryThis: isFew ? '3 Sentinels on 3 boxes' : `${count + 1} Sentinels, or ${count - 1}`,
    },
  ]
}

/** One box must not take the majority with it. */
function adviseBoxes(evidence: Evidence): AdviceFinding[] {
  const { sentinels } = evidence.cluster
  if (sentinels.length < 3) return []
  const boxes = new Map<string, number>()
  for (const { host } of sentinels) boxes.set(host, (boxes.get(host) ?? 0) + 1)
  const [box, most] = [...boxes].reduce((a, b) => (b[1] > a[1] ? b : a))
  if (sentinels.length - most >= majorityOf(evidence.cluster)) return []
  const seen = seenIn(evidence, ({ lacking }) => lacking === 'majority')
  const text = 'the master was lost for good, and no majority was left to replace it'
  return [
    {
      setting: `${sentinels.length} Sentinels on ${boxes.size} ${boxes.size === 1 ? 'box' : 'boxes'}`,
      effect: `whoever loses ${box} loses the majority`,
      seen: wordSeen(evidence, seen, text),
      ...seen,
      tryThis: 'one Sentinel a box, on three boxes or more',
    },
  ]
}

/** Advice about redis.conf: what nodes promise, and which may be promoted. */
import { type ClusterNode, masterOf, settingOf } from './cluster.ts'
import type { AdviceFinding, Evidence, HistoryCase } from './evidence.ts'
import { sum } from './summary.ts'

export function adviseReplication(evidence: Evidence): AdviceFinding[] {
  const { group } = evidence
  const master = masterOf(group)
  const replicas = group.nodes.slice(1)
  if (replicas.length === 0) return [noReplica(evidence)]
  return [
    ...adviseOneReplica(replicas.length, evidence),
    ...advisePriority(replicas, evidence),
    ...adviseSplitBrain(master, replicas.length, evidence),
    ...adviseSpareReplicas(master, replicas.length, evidence),
  ]
}

/** The histories that meet a condition, to sum up what it cost. */
function metIn({ cases }: Evidence, isSo: (one: HistoryCase) => boolean) {
  const met = cases.filter(isSo)
  return { met, histories: met.length, seed: met[0]?.seed }
}

function noReplica(evidence: Evidence): AdviceFinding {
  const { histories, seed } = metIn(evidence, ({ unusableMs, failovers }) => {
    return failovers === 0 && unusableMs > evidence.group.downAfterMs
  })
  return {
    setting: 'no replica',
    effect: 'there is no replica to promote',
    seen: `In ${histories} of ${evidence.cases.length} histories the master was lost for longer than down-after.`,
    ...{ histories, seed },
    tryThis: 'two replicas',
  }
}

function adviseOneReplica(replicas: number, evidence: Evidence): AdviceFinding[] {
  const { histories, seed } = metIn(evidence, ({ lacking }) => lacking === 'replica')
  if (replicas > 1 || histories === 0) return []
  return [
    {
      setting: '1 replica',
      effect: 'once it is lost there is no replica to promote',
      seen: `In ${histories} of ${evidence.cases.length} histories the master went after it.`,
      ...{ histories, seed },
      tryThis: 'two replicas',
    },
  ]
}

function advisePriority(replicas: readonly ClusterNode[], evidence: Evidence): AdviceFinding[] {
  if (!replicas.every((node) => settingOf(node, 'replica-priority', 100) === 0)) return []
  const { histories, seed } = metIn(evidence, ({ outcome }) => outcome === 'missing')
  return [
    {
      setting: 'replica-priority 0 on every replica',
      effect: 'none of them may be promoted',
      seen: `In ${histories} of ${evidence.cases.length} histories the master was lost and not replaced.`,
      ...{ histories, seed },
      tryThis: 'replica-priority 100 on those that may become master',
    },
  ]
}

/** A master that is cut off goes on acknowledging writes unless it requires replicas. */
function adviseSplitBrain(
  master: ClusterNode,
  replicas: number,
  evidence: Evidence,
): AdviceFinding[] {
  const { met, histories, seed } = metIn(evidence, ({ lost }) => (lost?.splitBrain ?? 0) > 0)
  if (histories === 0) return []
  const needed = settingOf(master, 'min-replicas-to-write', 0)
  const lagS = settingOf(master, 'min-replicas-max-lag', 10)
  const lost = sum(met, (one) => one.lost?.splitBrain ?? 0)
  const seen = `In ${histories} of ${evidence.cases.length} histories that cost ${lost} acknowledged writes.`
  if (needed === 0 || lagS === 0) {
    const caution =
      replicas === 1 ? ', with a second replica: the loss of one must not stop writes' : ''
    const tryThis = `min-replicas-to-write 1 and min-replicas-max-lag ${Math.min(lagS, 5) || 5}${caution}`
    const setting = needed === 0 ? 'min-replicas-to-write 0' : 'min-replicas-max-lag 0'
    const effect = 'a master that is cut off goes on acknowledging writes'
    return [{ setting, effect, seen, histories, seed, tryThis }]
  }
  const shorterS = Math.max(2, Math.floor(lagS / 3))
  if (shorterS >= lagS) return []
  return [
    {
      setting: `min-replicas-max-lag ${lagS}`,
      effect: `a master that is cut off goes on acknowledging writes for ${lagS} s`,
      ...{ seen, histories, seed },
      tryThis: `min-replicas-max-lag ${shorterS}`,
    },
  ]
}

/** After a failover there is one replica less, and so there is when one dies. */
function adviseSpareReplicas(
  master: ClusterNode,
  replicas: number,
  evidence: Evidence,
): AdviceFinding[] {
  const needed = settingOf(master, 'min-replicas-to-write', 0)
  const hasLag = settingOf(master, 'min-replicas-max-lag', 10) > 0
  if (needed === 0 || !hasLag || needed < replicas) return []
  const { met, histories, seed } = metIn(evidence, ({ refused }) => refused > 0)
  const refused = sum(met, (one) => one.refused)
  return [
    {
      setting: `min-replicas-to-write ${needed} with ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
      effect:
        needed > replicas
          ? 'no write is ever acknowledged'
          : 'the loss of any node stops all writes',
      seen: `In ${histories} of ${evidence.cases.length} histories ${refused} writes were refused with NOREPLICAS.`,
      ...{ histories, seed },
      tryThis:
        replicas === 1
          ? 'one more replica, or min-replicas-to-write 0 and its risk'
          : `min-replicas-to-write ${replicas - 1}, or one more replica`,
    },
  ]
}

/**
 * Are there enough Sentinels for a failover? A failover takes as many as the quorum and more than half of
 * all that are known, whichever is more. Sentinels find out by themselves that a peer is gone, but only
 * after `down-after`; a host that refuses our connection says so at once.
 */
import { majority } from '../../core/election/quorum.ts'
import { addressOf, type GroupView, type SentinelAnswer } from './view.ts'

export interface Strength {
  readonly quorum: number
  /** How many Sentinels a failover takes. */
  readonly needed: number
  /** How many Sentinels watch the group, as far as is known. */
  readonly known: number
  /** How many of them have answered us. */
  readonly answering: number
  readonly isOutOfReach: boolean
}

interface Say {
  readonly sentinel: SentinelAnswer
  readonly group: GroupView
}

export function strengthOf(sentinels: readonly SentinelAnswer[], says: readonly Say[]): Strength {
  const quorum = Math.max(1, ...says.map(({ group }) => Number(group.master.quorum ?? 1)))
  const answering = withoutClones(says).length
  const known = Math.max(answering, ...says.map(({ group }) => group.peers.length + 1))
  const needed = Math.max(quorum, majority(known))
  const gone = silentPeers(sentinels, says).filter(({ failure }) =>
    (failure ?? '').includes('ECONNREFUSED'),
  )
  const nobodyCan =
    says.length > 0 && says.every(({ group }) => group.quorum.startsWith('NOQUORUM'))
  return {
    quorum,
    needed,
    known,
    answering,
    isOutOfReach: nobodyCan || known - gone.length < needed,
  }
}

/** Sentinels with one id are counted once, as their peers do. */
export function withoutClones<One extends Say>(says: readonly One[]): readonly One[] {
  const ids = says.map(({ sentinel }) => sentinel.myid)
  return says.filter((_, at) => ids[at] === '' || ids.indexOf(ids[at] ?? '') === at)
}

/** The Sentinels that others know in this group, and that do not answer us. */
export function silentPeers(
  sentinels: readonly SentinelAnswer[],
  says: readonly Say[],
): readonly SentinelAnswer[] {
  const peers = new Set(says.flatMap(({ group }) => group.peers.map(addressOf)))
  return sentinels.filter(({ address, failure }) => failure !== undefined && peers.has(address))
}

/** `quorum 2 of 3`, or how many of them answer. */
export function strengthText(strength: Strength): string {
  const { quorum, needed, known, answering, isOutOfReach } = strength
  if (answering === known && !isOutOfReach) return `quorum ${quorum} of ${known}`
  const verb = answering === 1 ? 'answers' : 'answer'
  const rule = needed > quorum ? `quorum ${quorum}, majority ${needed}` : `quorum ${quorum}`
  const end = isOutOfReach ? ': cannot be reached' : ''
  return `${rule}, ${answering} of ${known} Sentinels ${verb}${end}`
}

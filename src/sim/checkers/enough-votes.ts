import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'

type Leader = Happening & { readonly kind: 'leader' }

/**
 * Nobody leads without the votes of a majority of all Sentinels it knows, and of the quorum where that
 * is more. What counts are votes that have left those who gave them; the leader's own need not.
 */
export function enoughVotes(): Checker {
  /** Whom each Sentinel voted for, by group and epoch. */
  const votes = new Map<string, Map<string, string>>()
  return {
    name: 'a leader has its votes',
    observe: (happening) => {
      if (happening.kind === 'vote') {
        const { group, epoch, sentinelId, leader } = happening
        const key = `${group} ${epoch}`
        const given = votes.get(key) ?? new Map<string, string>()
        votes.set(key, given.set(sentinelId, leader))
      }
      if (happening.kind !== 'leader') return undefined
      return shortOfVotes(happening, votes.get(`${happening.group} ${happening.epoch}`))
    },
  }
}

function shortOfVotes(leader: Leader, given: ReadonlyMap<string, string> | undefined) {
  const { sentinelId, group, epoch, electorate } = leader
  if (electorate === undefined) return undefined
  const voters = new Set([sentinelId, ...(given?.keys() ?? [])])
  const count = [...voters].filter(
    (voter) => (given?.get(voter) ?? sentinelId) === sentinelId,
  ).length
  const needed = Math.max(electorate.quorum, Math.floor(electorate.known / 2) + 1)
  if (count >= needed) return undefined
  return `${sentinelId} leads ${group} in epoch ${epoch} with ${count} of the ${needed} votes it needs`
}

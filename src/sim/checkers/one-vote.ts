import type { Checker } from './checker.ts'

/**
 * No Sentinel votes twice in an epoch of a group, its restarts included. What counts is what it told
 * others: a vote that a crash swallowed before anyone heard of it may be given again.
 */
export function oneVote(): Checker {
  const votes = new Map<string, string>()
  return {
    name: 'one vote per epoch',
    observe: (happening) => {
      if (happening.kind !== 'vote') return undefined
      const { sentinelId, group, epoch, leader } = happening
      const key = `${sentinelId} ${group} ${epoch}`
      const known = votes.get(key) ?? leader
      votes.set(key, known)
      if (known === leader) return undefined
      return `${sentinelId} voted for ${known} and for ${leader} in epoch ${epoch} of ${group}`
    },
  }
}

/**
 * The epochs of a Sentinel's votes for a group never fall, its restarts included: whoever votes in an
 * epoch that is over could be asked once more in a later one.
 */
export function voteEpochsRise(): Checker {
  const votes = new Map<string, number>()
  return {
    name: 'vote epochs never fall',
    observe: (happening) => {
      if (happening.kind !== 'vote') return undefined
      const { sentinelId, group, epoch } = happening
      const key = `${sentinelId} ${group}`
      const before = votes.get(key) ?? 0
      votes.set(key, Math.max(before, epoch))
      if (epoch >= before) return undefined
      return `${sentinelId} votes in epoch ${epoch} of ${group} after epoch ${before}`
    },
  }
}

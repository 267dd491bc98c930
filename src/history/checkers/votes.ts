/**
 * What votes promise: each Sentinel gives one in an epoch of a group, never in an epoch that is past, and a leader
 * has a majority of them. So no epoch has two leaders.
 */
import { type Happening, votesNeeded } from '../happening.ts'
import type { Checker } from './checker.ts'
import { RolledBack } from './rolled-back.ts'
import { UnsavedLives } from './unsaved-lives.ts'

/**
 * No Sentinel votes twice in an epoch of a group, not even across its restarts. Votes that it sent
 * count: a vote that a crash swallowed before any other process heard of it may be given again.
 */
export function oneVote(): Checker {
  const votes = new Map<string, string>()
  const rolledBack = new RolledBack()
  return {
    name: 'one vote per epoch',
    observe: (happening) => {
      rolledBack.note(happening)
      if (happening.kind !== 'vote') return undefined
      const { sentinelId, group, epoch, leader } = happening
      const key = `${sentinelId} ${group} ${epoch}`
      const known = votes.get(key) ?? leader
      votes.set(key, known)
      if (known === leader || rolledBack.mayRepeat(happening.process, epoch)) return undefined
      return `${sentinelId} voted for ${known} and for ${leader} in epoch ${epoch} of ${group}`
    },
  }
}

/**
 * The epochs of a Sentinel's votes for a group never fall, not even across its restarts: a Sentinel
 * remembers only its last vote, so after one in a past epoch it could vote a second time in the
 * later one.
 */
export function voteEpochsRise(): Checker {
  const votes = new Map<string, number>()
  const rolledBack = new RolledBack()
  return {
    name: 'vote epochs never fall',
    observe: (happening) => {
      rolledBack.note(happening)
      if (happening.kind !== 'vote') return undefined
      const { sentinelId, group, epoch } = happening
      const key = `${sentinelId} ${group}`
      const before = votes.get(key) ?? 0
      votes.set(key, Math.max(before, epoch))
      if (epoch >= before || rolledBack.mayRepeat(happening.process, epoch)) return undefined
      return `${sentinelId} votes in epoch ${epoch} of ${group} after epoch ${before}`
    },
  }
}

type Leader = Happening & { readonly kind: 'leader' }

/**
 * No Sentinel leads without the votes of a majority of all Sentinels it knows, and of the quorum if
 * that is more. Votes count once they have left the process that gave them; the leader's own need
 * not.
 */
export function enoughVotes(): Checker {
  /** The candidate each Sentinel voted for, by group and epoch. */
  const votes = new Map<string, Map<string, string>>()
  const rolledBack = new RolledBack()
  return {
    name: 'a leader has its votes',
    observe: (happening) => {
      rolledBack.note(happening)
      if (happening.kind === 'vote') {
        const { group, epoch, sentinelId, leader } = happening
        const key = `${group} ${epoch}`
        const given = votes.get(key) ?? new Map<string, string>()
        votes.set(key, given.set(sentinelId, leader))
      }
      if (happening.kind !== 'leader') return undefined
      // A second vote has taken the place of the first.
      if (rolledBack.mayHaveTwoLeaders(happening.epoch)) return undefined
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
  const needed = votesNeeded(electorate)
  if (count >= needed) return undefined
  return `${sentinelId} leads ${group} in epoch ${epoch} with ${count} of the ${needed} votes it needs`
}

/** One leader per epoch and group: two of them would promote two masters in the same epoch. */
export function oneLeader(): Checker {
  const leaders = new Map<string, string>()
  const rolledBack = new RolledBack()
  return {
    name: 'one leader per epoch',
    observe: (happening) => {
      rolledBack.note(happening)
      if (happening.kind !== 'leader') return undefined
      const key = `${happening.group} ${happening.epoch}`
      const known = leaders.get(key) ?? happening.sentinelId
      leaders.set(key, known)
      if (known === happening.sentinelId) return undefined
      if (rolledBack.mayHaveTwoLeaders(happening.epoch)) return undefined
      return `${known} and ${happening.sentinelId} both lead ${happening.group} in epoch ${happening.epoch}`
    },
  }
}

/**
 * No vote in an epoch whose configuration the Sentinel knows already: that epoch has had its leader. What counts
 * is what it knew when it voted: an old vote may be told again, or only now for the first time.
 */
export function votesAreCurrent(): Checker {
  const epochs = new Map<string, number>()
  /** The config epochs that were known when a vote was given that has not been announced. */
  const fresh = new Map<string, ReadonlyMap<string, number>>()
  const unsaved = new UnsavedLives()
  return {
    name: 'no vote below the config epoch',
    observe: (happening) => {
      const forgetful = unsaved.endedWith(happening)
      for (const key of epochs.keys()) if (key.startsWith(`${forgetful} `)) epochs.delete(key)
      const { process } = happening
      if (happening.kind === 'event' && happening.name === '+vote-for-leader') {
        fresh.set(`${process} ${happening.payload}`, new Map(epochs))
      }
      if (happening.kind === 'hello') {
        const key = `${process} ${happening.group}`
        epochs.set(key, Math.max(epochs.get(key) ?? 0, happening.configEpoch))
      }
      if (happening.kind !== 'vote') return undefined
      const { group, epoch, leader } = happening
      const vote = `${process} ${leader} ${epoch}`
      const known = fresh.get(vote)?.get(`${process} ${group}`) ?? 0
      fresh.delete(vote)
      if (epoch > known) return undefined
      return `${process} votes in epoch ${epoch} of ${group} in config epoch ${known}`
    },
  }
}

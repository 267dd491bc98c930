import type { Checker } from './checker.ts'

/** One leader per epoch and group: two of them would promote two masters of the same epoch. */
export function oneLeader(): Checker {
  const leaders = new Map<string, string>()
  return {
    name: 'one leader per epoch',
    observe: (happening) => {
      if (happening.kind !== 'leader') return undefined
      const key = `${happening.group} ${happening.epoch}`
      const known = leaders.get(key) ?? happening.sentinelId
      leaders.set(key, known)
      if (known === happening.sentinelId) return undefined
      return `${known} and ${happening.sentinelId} both lead ${happening.group} in epoch ${happening.epoch}`
    },
  }
}

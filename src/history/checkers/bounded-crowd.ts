import type { Checker } from './checker.ts'

/** Far more than any real deployment has, and far fewer than a stranger can make up. */
const KNOWN_MAX = 1_200

/** No Sentinel fills its memory with peers and replicas that a stranger made up. */
export function boundedCrowd(): Checker {
  return {
    name: 'made-up instances are bounded',
    observe: (happening) => {
      if (happening.kind !== 'crowd') return undefined
      const { process, group, peers, replicas } = happening
      if (peers <= KNOWN_MAX && replicas <= KNOWN_MAX) return undefined
      return `${process} knows ${peers} peers and ${replicas} replicas of ${group}`
    },
  }
}

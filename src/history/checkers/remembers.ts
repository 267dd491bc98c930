import type { Checker } from './checker.ts'

/**
 * A Sentinel's state file holds what the Sentinel knows: after each save, after each start, and before
 * anything is told. What is compared is in `sim/processes/memory-witness.ts`.
 */
export function remembers(): Checker {
  return {
    name: 'a Sentinel remembers',
    observe: (happening) => {
      if (happening.kind !== 'misremembered') return undefined
      return `${happening.process} ${happening.text}`
    },
  }
}

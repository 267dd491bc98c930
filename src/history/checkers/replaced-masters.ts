/**
 * What a proxy promises: no byte of a client goes to a node that more than half of the Sentinels have replaced for
 * longer than the lease. A Sentinel that is down says nothing, and says what it said when it comes back.
 */
import { addressText } from '../../base/ip.ts'
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'

/** A lease, measured by a clock that runs slow, and what a process may be stopped for between reading it and sending. */
const LEASE_MS = 1_500

interface Named {
  readonly master: string
  /** When the Sentinel last named anything else. */
  readonly sinceMs: number
}

export function replacedMastersAreLeft(sentinels: number): Checker {
  const named = new Map<string, Named>()
  return {
    name: 'no byte of a client goes to a replaced master',
    observe: (happening) => {
      if (happening.kind === 'view') note(named, happening)
      if (happening.kind !== 'forwarded') return undefined
      const to = addressText(happening.node)
      const ended = [...named].filter(([key, { master, sinceMs }]) => {
        const isOther = key.endsWith(` ${happening.group}`) && master !== to
        return isOther && happening.atMs - sinceMs > LEASE_MS
      })
      if (ended.length * 2 <= sentinels) return undefined
      return `${happening.process} sent to ${to}, which ${ended.length} of ${sentinels} Sentinels replaced long ago`
    },
  }
}

type View = Happening & { readonly kind: 'view' }

function note(named: Map<string, Named>, { process = '', group, master, atMs }: View): void {
  const key = `${process} ${group}`
  const text = addressText(master)
  if (named.get(key)?.master !== text) named.set(key, { master: text, sinceMs: atMs })
}

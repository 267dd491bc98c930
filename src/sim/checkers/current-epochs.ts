import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { UnsavedLives } from './unsaved-lives.ts'

type Telling = Happening & { readonly kind: 'hello' | 'vote' }

/** The highest epoch a Sentinel tells never falls, its restarts included: it could be used again. */
export function currentEpochsRise(): Checker {
  const told = new Map<string, number>()
  const unsaved = new UnsavedLives()
  return {
    name: 'current epochs never fall',
    observe: (happening) => {
      const forgetful = unsaved.endedWith(happening)
      for (const key of told.keys()) if (key.startsWith(`${forgetful} `)) told.delete(key)
      if (happening.kind !== 'hello' && happening.kind !== 'vote') return undefined
      const epoch = epochIn(happening)
      const key = `${happening.process} ${happening.sentinelId}`
      const before = told.get(key) ?? 0
      told.set(key, Math.max(before, epoch ?? 0))
      // An old vote may be told again; it says nothing about the epoch of today.
      if (epoch === undefined || epoch >= before || happening.kind === 'vote') return undefined
      return `${happening.sentinelId} is in epoch ${epoch} after epoch ${before}`
    },
  }
}

function epochIn(happening: Telling): number | undefined {
  return happening.kind === 'vote' ? happening.epoch : happening.currentEpoch
}

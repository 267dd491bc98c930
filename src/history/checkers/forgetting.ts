import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { readSubject, SentinelPast } from './sentinel-past.ts'

/**
 * Only what is down is forgotten, by an order or by itself after forget-after; otherwise a majority could be made of
 * fewer. Where liars fill the places for instances, some have to go.
 */
export function onlyTheDeadAreForgotten(scene: CheckerView): Checker {
  const past = new SentinelPast()
  let isOrdered = false
  return {
    name: 'only the dead are forgotten',
    observe: (happening) => {
      const { process = '' } = happening
      const isEnd = happening.kind === 'event' && FORGETTING.has(happening.name)
      const subject = isEnd ? readSubject(happening.payload) : undefined
      const downSinceMs = subject && past.downSinceMs(process, subject)
      past.note(happening)
      isOrdered ||= isOrderToForget(happening)
      if (subject === undefined || scene.topology.liars.length > 0) return undefined
      const who = `${process} forgets ${subject.kind} ${subject.name}, which it`
      if (downSinceMs === undefined) return `${who} does not hold down`
      const forMs = happening.atMs - downSinceMs
      const limitMs = scene.group(subject.group)?.forgetAfterMs ?? 0
      const leastMs = limitMs / scene.troubles.fastestClock(process) - SLACK_MS
      const isEarly = forMs < leastMs && !isOrdered && !scene.troubles.hasOtherRules(process)
      return isEarly ? `${who} has held down for ${forMs} ms, and not for ${limitMs}` : undefined
    },
  }
}

const SLACK_MS = 50

function isOrderToForget(happening: Happening): boolean {
  if (happening.kind !== 'fault' || happening.action?.kind !== 'command') return false
  return happening.action.argv[1]?.toUpperCase() === 'FORGET'
}

const FORGETTING: ReadonlySet<string> = new Set(['-slave', '-sentinel'])

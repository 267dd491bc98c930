/** The group that an event is about, as its payload names it. */
import { EVENT_NAMES, EVENTS, type EventName, type Happening } from './happening.ts'

type EventHappening = Extract<Happening, { readonly kind: 'event' }>

/** Whether a payload tells its group. TILT is about none, an epoch and a vote do not say. */
export function namesGroup(name: EventName): boolean {
  const { about, text } = EVENTS[name]
  return about === 'group' ? text.startsWith('<group>') : about !== 'none'
}

/** `master GROUP …`, `slave … @ GROUP …`, or the name of the group alone in front. */
export function groupIn({ name, payload }: Pick<EventHappening, 'name' | 'payload'>) {
  const known = EVENT_NAMES.find((one) => one === name)
  if (known === undefined || !namesGroup(known)) return undefined
  const words = payload.split(' ')
  if (EVENTS[known].about === 'group') return words[0]
  return words[0] === 'master' ? words[1] : words[words.indexOf('@') + 1]
}

/**
 * The words of an event: how what it carries becomes the payload that is published, and what a reader gets out
 * of a payload again. Both follow from the text of its row in event-table.ts, so that they cannot disagree.
 */
import type { EventSpec, EventSubject } from './event-spec.ts'
import { EVENT_NAMES, EVENTS, type EventName } from './event-table.ts'

type WordsIn<Text> = Text extends `${string}<${infer Word}>${infer Rest}`
  ? Word | WordsIn<Rest>
  : never

/** The words in the text of an event. */
export type EventWord<Name extends EventName> = WordsIn<(typeof EVENTS)[Name]['text']>

/** Fills the words into the text of an event. */
export function eventText(
  name: EventName,
  words: Readonly<Record<string, string | number>>,
): string {
  return EVENTS[name].text.replace(/<(\w+)>/g, (_, word: string) => String(words[word]))
}

/** The reverse of `eventText`; undefined if the payload does not have that shape. */
export function eventWords<Name extends EventName>(
  name: Name,
  payload: string,
): Readonly<Record<EventWord<Name>, string>> | undefined {
  return PATTERNS[name].exec(payload)?.groups as Record<EventWord<Name>, string> | undefined
}

/** `master <group> <host> <port> `, or `<type> <name> <host> <port> @ <group> <host> <port> `. */
const DESCRIPTION = '(?:\\S+ ){4}(?:@ (?:\\S+ ){3})?'

function patternOf({ about, text }: EventSpec<EventSubject, string>): RegExp {
  const isDescribed = about !== 'group' && about !== 'none'
  const words = text.replace(/<(\w+)>/g, (placeholder, word: string, at: number) => {
    const isLast = at + placeholder.length === text.length
    return `(?<${word}>${isLast ? '.*' : '\\S+'})`
  })
  return new RegExp(`^${isDescribed ? DESCRIPTION : ''}${words}$`, 's')
}

const PATTERNS = Object.fromEntries(
  EVENT_NAMES.map((name) => [name, patternOf(EVENTS[name])]),
) as Record<EventName, RegExp>

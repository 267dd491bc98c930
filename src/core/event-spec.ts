/** What the table of events (event-table.ts) says of each event: the columns of its rows. */
import type { LogLevel } from './log-level.ts'

/**
 * What the payload begins with: the description of a master, a replica, a peer (`sentinel`), a data
 * node or any instance. `group`: no description, but the group's notification script is told.
 * `none`: no description, and no script is told.
 */
export type EventSubject =
  | 'master'
  | 'replica'
  | 'sentinel'
  | 'node'
  | 'instance'
  | 'group'
  | 'none'

/** What an event is about, for programs that show it in colour. */
export type EventTopic = 'suspicion' | 'election' | 'promotion' | 'switch' | 'tilt' | 'other'

export interface EventSpec<Subject extends EventSubject, Text extends string> {
  /**
   * `debug` goes to the log alone, `unlogged` to subscribers alone; a `warning` also calls scripts.
   */
  readonly level: LogLevel | 'unlogged'
  readonly about: Subject
  /**
   * The payload behind the description. `<word>` stands for a value; only the last word may have
   * spaces.
   */
  readonly text: Text
  readonly topic: EventTopic
  /** The event completes the record, and adds nothing for readers of the other events. */
  readonly isRoutine: boolean
  readonly when: string
  /**
   * The event in plain words, to follow the name of the Sentinel that publishes it. `<instance>`
   * and `<port>` are those of the description; other words are those of `text`. Empty: the payload
   * speaks for itself.
   */
  readonly says: string
}

type EventRow<Text> = { readonly text?: Text; readonly topic?: EventTopic } & {
  readonly isRoutine?: true
  readonly when: string
  readonly says?: string
}

export function event<const Subject extends EventSubject, const Text extends string = ''>(
  level: LogLevel | 'unlogged',
  about: Subject,
  row: EventRow<Text>,
): EventSpec<Subject, Text | ''> {
  return { level, about, text: '', topic: 'other', isRoutine: false, says: '', ...row }
}

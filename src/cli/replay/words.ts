/** A played record in lines. */
import { oneLine } from '../../base/one-line.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import type { Effect } from '../../core/effect.ts'
import { colors as pc } from '../colors.ts'
import { ownVersion } from '../version.ts'
import type { PlacedStep, SegmentOutcome } from './play.ts'

export function clockTime(wallMs: number): string {
  return new Date(wallMs).toISOString()
}

/**
 * The machines hold names and payloads as bytes: this is their text, as people read and type it, on one line that
 * cannot change their terminal, whoever made the record.
 */
export function shownText(bytes: string): string {
  return oneLine(utf8Text(bytes))
}

/** What a step announced, as the log of the Sentinel has it. */
export function announcedLines({ effects, now }: PlacedStep): readonly string[] {
  return effects.flatMap((effect) => {
    const event = eventOf(effect)
    if (event === undefined) return []
    return [`${clockTime(now.wallMs)}  ${event.name} ${shownText(event.payload)}`]
  })
}

function eventOf(effect: Effect): AnnouncedEvent | undefined {
  return effect.kind === 'log' && effect.level !== 'debug' ? effect.event : undefined
}

export function outcomeLine(outcome: SegmentOutcome): string {
  const { path, myid, program, fromMs, toMs, steps, decisions, fault } = outcome
  if (myid === undefined) return fault ?? `${path}: it has no head yet, and says nothing`
  const when = `${clockTime(fromMs)} to ${clockTime(toMs)}`
  const what = `${steps} steps, ${decisions} decisions`
  const verdict =
    fault === undefined
      ? pc.green('the same again')
      : pc.red(`NOT the same${byAnother(program)}: ${fault}`)
  return `${path}: Sentinel ${myid.slice(0, 8)} (${program}), ${when}, ${what}: ${verdict}`
}

/** Another build may decide differently, and that is no bug. */
function byAnother(program: string): string {
  const own = `vedette ${ownVersion()}`
  return program === own ? '' : `, played by ${own}`
}

export function verdictLine(outcomes: readonly SegmentOutcome[]): string {
  const sum = (count: (one: SegmentOutcome) => number) =>
    outcomes.reduce((total, one) => total + count(one), 0)
  const steps = sum((one) => one.steps)
  const what = `${steps} steps, ${sum(({ decisions }) => decisions)} decisions`
  const wrong = outcomes.filter(({ fault }) => fault !== undefined).length
  if (wrong === 0 && steps === 0) return `${what}: nothing was recorded here, and nothing played`
  if (wrong === 0) return `${what}: all the same when played again`
  return `${what}: ${wrong} of ${outcomes.length} segments are damaged, of another version, or were not the same when played again`
}

/** An event of the machine in a few words. */
export function heardLine({ event }: PlacedStep): string {
  switch (event.kind) {
    case 'reply':
      return `reply to ${event.purpose.kind} on link ${event.link}: ${clipped(JSON.stringify(event.reply, bigAsText))}`
    case 'message':
      return `message on link ${event.link}: ${clipped(event.payload)}`
    case 'received':
      return `client ${event.client}: ${clipped(event.bytes.replaceAll('\r\n', ' '))}`
    case 'linkUp':
      return `link ${event.link} is up`
    case 'linkLost':
      return `link ${event.link} is lost: ${event.reason}`
    case 'wake':
      return 'a deadline'
    default:
      return clipped(JSON.stringify(event))
  }
}

export function bigAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

export function clipped(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** What a Sentinel on a stage has done, for inspection in a test. */
import type { Effect } from '../../src/core/effect.ts'

/** An effect, its moment in milliseconds since the start, and the part on the stage it concerns. */
export type Done = Effect & { readonly atMs: number; readonly to: string | undefined }

export class StageRecord {
  readonly done: Done[] = []

  note(effect: Effect, atMs: number, to: string | undefined): void {
    this.done.push({ ...effect, atMs, to })
  }

  /** Forgets what has been done so far. */
  forget(): void {
    this.done.length = 0
  }

  /** What was logged, without debug lines: events with their payloads. */
  get log(): readonly { readonly atMs: number; readonly text: string }[] {
    return this.done.flatMap((one) =>
      one.kind === 'log' && one.level !== 'debug' ? [{ atMs: one.atMs, text: one.text }] : [],
    )
  }

  /** Moments at which a line with this beginning was logged. */
  times(beginning: string): readonly number[] {
    return this.log.filter(({ text }) => text.startsWith(beginning)).map(({ atMs }) => atMs)
  }

  /** What was sent to a part, perhaps of one kind only. */
  sentTo(name: string, verb?: string) {
    const sent = this.done.flatMap((one) => (one.kind === 'send' && one.to === name ? [one] : []))
    return sent.filter(({ argv }) => verb === undefined || argv[0] === verb)
  }

  /** What was opened to a part. */
  opened(name: string, channel?: 'command' | 'pubsub') {
    const opened = this.done.flatMap((one) =>
      one.kind === 'openLink' && one.to === name ? [one] : [],
    )
    return opened.filter((one) => channel === undefined || one.channel === channel)
  }

  /** The scripts that were run. */
  get scripts() {
    return this.done.flatMap((one) => (one.kind === 'runScript' ? [one] : []))
  }
}

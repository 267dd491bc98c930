/** Keeps the journal of a data node or a proxy on disk: what it says of itself, a moment later. */
import type { Moment } from '../../base/clock.ts'
import type { RecordedSegment } from '../../core/external-query.ts'
import {
  entriesText,
  entryText,
  type JournalHead,
  journalHeadText,
} from '../../journal/entry-text.ts'
import type { JournalEvent } from '../../journal/event-table.ts'
import type { KeptRecord } from '../external-queries.ts'
import { SegmentFiles, type SegmentOptions, type SegmentOwner } from './segment-files.ts'

export interface JournalOptions extends SegmentOptions {
  /** Asked when a segment begins. */
  readonly head: () => JournalHead
}

/** What happens together is written together. */
const SOON_MS = 250
/** So much may wait for that moment. */
const MAX_WAITING = 1_000

export class JournalFiles implements SegmentOwner, KeptRecord {
  readonly #options: JournalOptions
  readonly #files: SegmentFiles
  #waiting: string[] = []
  #mustBegin = true
  #isOn = true
  #hasEnded = false
  #soon: NodeJS.Timeout | undefined

  /** Throws the file system's error if the folder cannot be made or read. */
  constructor(options: JournalOptions) {
    this.#options = options
    this.#files = new SegmentFiles(options, this)
  }

  note(now: Moment, event: JournalEvent): void {
    if (!this.#isOn || this.#hasEnded) return
    this.#waiting.push(entryText(now, event))
    if (this.#waiting.length >= MAX_WAITING) return this.cut()
    this.#soon ??= setTimeout(() => this.cut(), SOON_MS).unref()
  }

  cut(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#waiting.length === 0) return
    if (this.#mustBegin) this.#files.begin('J', journalHeadText(this.#options.head()))
    this.#mustBegin = false
    this.#files.add('E', entriesText(this.#waiting))
    this.#waiting = []
  }

  renew(): void {
    this.#mustBegin = true
    this.#isOn = true
  }

  pause(): void {
    this.#isOn = false
    this.#waiting = []
  }

  /** The process ends: everything is written before this returns. */
  finish(): void {
    this.#files.finish()
    this.#hasEnded = true
  }

  list(): Promise<readonly RecordedSegment[]> {
    return this.#files.list()
  }

  read(segment: string, offset: number, bytes: number): Promise<string> {
    return this.#files.read(segment, offset, bytes)
  }
}

/** Keeps the record of a Sentinel on disk: everything it was told, a second after a decision at the latest. */
import { headText } from '../../blackbox/record-head.ts'
import { type RecordHead, type RecordSink, SentinelRecorder } from '../../blackbox/recorder.ts'
import type { RecordedSegment } from '../../core/external-query.ts'
import type { KeptRecord } from '../external-queries.ts'
import { sha256Hex } from './frames.ts'
import { SegmentFiles, type SegmentOptions } from './segment-files.ts'

export interface RecordOptions extends SegmentOptions {
  /** Name and version of the program, for whoever reads the record. */
  readonly program: string
}

/** After a decision the block is written soon, otherwise when it is worth it. */
const SOON_MS = 1_000
const LATER_MS = 60_000

export class RecordFiles implements RecordSink, KeptRecord {
  readonly recorder: SentinelRecorder
  readonly #files: SegmentFiles
  readonly #warn: (text: string) => void
  #soon: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined

  /** Throws the file system's error if the folder cannot be made or read. */
  constructor(options: RecordOptions) {
    const { program, warn } = options
    this.#warn = warn
    this.recorder = new SentinelRecorder({ digest: sha256Hex, sink: this, program })
    this.#files = new SegmentFiles(options, this.recorder)
  }

  head(head: RecordHead): void {
    this.#files.begin('H', headText(head))
  }

  block(text: string): void {
    this.#stopTimers()
    this.#files.add('B', text)
  }

  stepped(isNotable: boolean): void {
    if (isNotable) this.#soon ??= this.#cutIn(SOON_MS)
    else this.#later ??= this.#cutIn(LATER_MS)
  }

  failed(error: unknown): void {
    const what = 'black box: a fault in the recorder, please report it; nothing more is recorded'
    this.#warn(`${what}: ${error instanceof Error ? error.stack : String(error)}`)
  }

  #cutIn(ms: number): NodeJS.Timeout {
    const cut = () => {
      // After a pause there may be nothing to hand over.
      this.#stopTimers()
      this.recorder.cut()
    }
    return setTimeout(cut, ms).unref()
  }

  #stopTimers(): void {
    clearTimeout(this.#soon)
    clearTimeout(this.#later)
    this.#soon = undefined
    this.#later = undefined
  }

  /** The process ends, or has failed: everything is written before this returns. */
  finish(): void {
    this.#files.finish()
    this.#stopTimers()
  }

  list(): Promise<readonly RecordedSegment[]> {
    return this.#files.list()
  }

  read(segment: string, offset: number, bytes: number): Promise<string> {
    return this.#files.read(segment, offset, bytes)
  }
}

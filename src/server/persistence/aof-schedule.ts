/**
 * When the append-only file is rewritten: when a client asks for it, and when it has grown by
 * [auto-aof-rewrite-percentage] since the last time and is above [auto-aof-rewrite-min-size]. A disk on
 * which rewrites fail is not overloaded: after three failures in a row the next one waits a minute, then
 * two, four and so on up to an hour, unless a client asks.
 */
import type { PersistenceHost } from './host.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const MAX_DELAY_MS = 60 * MINUTE_MS
const PATIENT_FAILURES = 3
const AT_ONCE = 0

export class AofSchedule {
  readonly #host: Pick<PersistenceHost, 'settings' | 'now'>
  /** Why the next rewrite should come; undefined if none should. */
  #wanted: 'ordered' | 'scheduled' | 'grown' | undefined
  /** Monotonic. Nothing is tried again before this. */
  #notBeforeMs = AT_ONCE
  #startedAtMs: number | undefined
  #lastDurationMs: number | undefined
  #hasFailed = false
  failures = 0
  /** How many rewrites have begun. */
  begun = 0
  /** The size of all files together after the last rewrite. */
  rewrittenBytes = 0

  constructor(host: Pick<PersistenceHost, 'settings' | 'now'>) {
    this.#host = host
  }

  /** Monotonic. When the next rewrite may begin; undefined if none is wanted. */
  get dueMs(): number | undefined {
    return this.#wanted === undefined ? undefined : this.#notBeforeMs
  }

  /** Whether a client has been told that a rewrite is scheduled. */
  get isScheduled(): boolean {
    return this.#wanted === 'scheduled'
  }

  /** Whether it begins with the next turn. */
  get isBeginning(): boolean {
    return this.#wanted === 'ordered' && this.#host.now.monoMs >= this.#notBeforeMs
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** -1 if none has ended. */
  get lastSeconds(): number {
    return this.#lastDurationMs === undefined ? -1 : Math.floor(this.#lastDurationMs / SECOND_MS)
  }

  /** -1 if none runs. */
  get currentSeconds(): number {
    if (this.#startedAtMs === undefined) return -1
    return Math.floor((this.#host.now.monoMs - this.#startedAtMs) / SECOND_MS)
  }

  /** As soon as possible, whatever failed before. */
  order(reason: 'ordered' | 'scheduled'): void {
    this.#wanted = reason
    this.#notBeforeMs = AT_ONCE
    if (reason === 'scheduled') this.failures = 0
  }

  /** The files now have this size. */
  consider(bytes: number): void {
    const { settings } = this.#host
    const percentage = settings.int('auto-aof-rewrite-percentage')
    if (percentage === 0 || bytes <= settings.int('auto-aof-rewrite-min-size')) return
    const growth = (bytes * 100) / Math.max(1, this.rewrittenBytes) - 100
    if (growth >= percentage) this.#wanted ??= 'grown'
  }

  began(): void {
    this.#wanted = undefined
    this.#startedAtMs = this.#host.now.monoMs
    this.begun++
  }

  succeeded(bytes: number): void {
    this.rewrittenBytes = bytes
    this.#hasFailed = false
    this.failures = 0
    this.#notBeforeMs = AT_ONCE
    this.stopped()
  }

  failed(): void {
    this.#hasFailed = true
    this.failures++
    const minutes = 2 ** (this.failures - PATIENT_FAILURES)
    const delayMs = minutes < 1 ? SECOND_MS : Math.min(minutes * MINUTE_MS, MAX_DELAY_MS)
    this.#notBeforeMs = this.#host.now.monoMs + delayMs
    this.stopped()
  }

  /** It must come, but not before the disk has had time to recover. */
  retry(): void {
    this.#wanted = 'ordered'
  }

  /** No rewrite is wanted any more. */
  cancel(): void {
    this.#wanted = undefined
  }

  /** It no longer runs. */
  stopped(): void {
    if (this.#startedAtMs === undefined) return
    this.#lastDurationMs = this.#host.now.monoMs - this.#startedAtMs
    this.#startedAtMs = undefined
  }
}

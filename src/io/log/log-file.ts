/**
 * Where log lines go: standard output, or a file known by its name. A file that was moved away, as logrotate
 * does, is made anew without a signal. Redis opens its file for every line; a look now and then does the
 * same at no cost.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type DestinationStream, pino } from 'pino'
import { reasonOf, StartError } from '../start-error.ts'

const BACKLOG_MAX_BYTES = 1024 * 1024

/** A line may go to a file that was moved away no longer ago. */
const LOOK_MS = 1_000

/** Turns a line of JSON into what is written. */
export type ToLine = (line: string) => string

/** Throws a StartError. An empty path means standard output. */
export function openStream(path: string, toLine: ToLine): LogStream {
  return new LogStream(path, toLine)
}

/** The stream that lines currently go to. */
export class LogStream implements DestinationStream {
  readonly #toLine: ToLine
  #path: string
  #current: LogDestination
  #lookedAtMs: number
  #isAstray = false
  /** Is told if the file was moved away and cannot be made anew. */
  warn: (text: string) => void = () => undefined

  constructor(path: string, toLine: ToLine) {
    this.#toLine = toLine
    this.#path = path
    this.#current = destination(path === '' ? STDOUT : openLogFile(path))
    this.#lookedAtMs = performance.now()
  }

  write(line: string): void {
    this.#look(performance.now())
    this.#current.write(this.#toLine(line))
  }

  flushSync(): void {
    this.#current.flushSync()
  }

  /** Continues in the file of this name; an empty name continues where it is. Returns the reason if that fails. */
  reopen(path: string): string | undefined {
    if (path === '') return undefined
    try {
      this.#swap(destination(openSync(path, 'a')))
      this.#path = path
      return undefined
    } catch (error) {
      return `cannot write the log file ${path}: ${reasonOf(error)}`
    }
  }

  #swap(next: LogDestination): void {
    const before = this.#current
    this.#current = next
    this.#isAstray = false
    before.end()
  }

  #look(nowMs: number): void {
    if (this.#path === '' || nowMs - this.#lookedAtMs < LOOK_MS) return
    this.#lookedAtMs = nowMs
    if (isFileOf(this.#path, this.#current.descriptor)) return
    const fault = this.reopen(this.#path)
    if (fault === undefined || this.#isAstray) return
    this.#isAstray = true
    this.warn(`${fault}; the file was moved away, and lines still go there: make its folder again`)
  }
}

const STDOUT = 1

interface LogDestination extends DestinationStream {
  readonly descriptor: number
  flushSync(): void
  end(): void
}

/** Whether the open file still has this name. What is no ordinary file, such as a pipe, is left alone. */
function isFileOf(path: string, descriptor: number): boolean {
  try {
    const open = fstatSync(descriptor)
    if (!open.isFile()) return true
    const { dev, ino } = statSync(path)
    return dev === open.dev && ino === open.ino
  } catch {
    return false
  }
}

/**
 * A full disk must not end a process that keeps a service alive: lines that cannot be written wait in
 * a bounded buffer, and beyond that they are lost.
 */
function destination(descriptor: number): LogDestination {
  const stream = pino.destination({ dest: descriptor, sync: true, maxLength: BACKLOG_MAX_BYTES })
  let fault: Error | undefined
  stream.on('error', (error) => {
    fault = error
  })
  stream.on('write', () => {
    fault = undefined
  })
  return {
    descriptor,
    write: (line) => stream.write(line),
    // Every line is tried at once, and what waits with it. The stream's own flush tries a full disk for ever.
    flushSync: () => {
      if (fault !== undefined) throw fault
      stream.flushSync()
    },
    end: () => stream.end(),
  }
}

function openLogFile(path: string): number {
  try {
    return openSync(path, 'a')
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** What a start would say of a log file; undefined: nothing. The file is not made. */
export function logFileFault(path: string): StartError | undefined {
  try {
    if (existsSync(path)) closeSync(openSync(path, 'a'))
    else accessSync(`${dirname(path)}/`, constants.W_OK)
    return undefined
  } catch (error) {
    return unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): StartError {
  const hint =
    'make its folder and make it writable for this user, or leave it out to log to standard output'
  return new StartError('E_LOG_FILE', `cannot write the log file ${path}: ${reasonOf(error)}`, hint)
}

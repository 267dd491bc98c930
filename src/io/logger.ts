/**
 * Log lines: JSON for machines, or readable text when somebody looks at a terminal. The levels on the
 * outside are Redis' own, because that is what `loglevel` in a configuration file means.
 */
import { openSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { LogLevel } from '../core/log-level.ts'
import { endProcess } from './process-end.ts'
import { reasonOf, StartError } from './start-error.ts'

export interface LoggerOptions {
  /** What is worth less is left out; `nothing` leaves out everything. */
  readonly level: LogLevel | 'nothing'
  /** [logfile] Empty: standard output. */
  readonly file: string
  /** Who is speaking: `sentinel` or `server`, and its port. */
  readonly program: string
  readonly port: number
}

export interface Logger {
  log(level: LogLevel, text: string): void
  /** What is worth less than this is left out from now on. */
  setLevel(level: LogLevel | 'nothing'): void
  /** Writes out what is still buffered; call it before the process ends. */
  flush(): void
}

/** The log of a daemon. */
export interface DaemonLogger extends Logger {
  /**
   * Goes on in the file of this name, opened anew, so that logs can be rotated; empty: where it was. Gives
   * the reason when it cannot, and then nothing changes.
   */
  reopen(file: string): string | undefined
}

const BACKLOG_MAX_BYTES = 1024 * 1024

type PinoLevel = 'trace' | 'debug' | 'info' | 'warn'

const PINO_LEVELS: Readonly<Record<LogLevel, PinoLevel>> = {
  debug: 'trace',
  verbose: 'debug',
  notice: 'info',
  warning: 'warn',
}

export async function openLogger(options: LoggerOptions): Promise<DaemonLogger> {
  const { level, program, port } = options
  const stream = new LogStream(await openStream(options.file))
  const logger = pino(
    {
      level: pinoLevel(level),
      base: { pid: process.pid, program, port },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
  return {
    log: (at, text) => logger[PINO_LEVELS[at]](text),
    setLevel: (to) => {
      logger.level = pinoLevel(to)
    },
    reopen: (file) => reopen(stream, file),
    flush: () => flush(stream),
  }
}

/** The stream lines go to at the moment. */
class LogStream implements DestinationStream {
  #current: DestinationStream & { flushSync?(): void; end?(): void }

  constructor(first: DestinationStream) {
    this.#current = first
  }

  write(line: string): void {
    this.#current.write(line)
  }

  flushSync(): void {
    this.#current.flushSync?.()
  }

  swap(next: DestinationStream): void {
    const before = this.#current
    this.#current = next
    before.end?.()
  }
}

function reopen(stream: LogStream, file: string): string | undefined {
  if (file === '') return undefined
  try {
    stream.swap(destination(openSync(file, 'a')))
    return undefined
  } catch (error) {
    return `cannot write the log file ${file}: ${reasonOf(error)}`
  }
}

function pinoLevel(level: LogLevel | 'nothing'): PinoLevel | 'silent' {
  return level === 'nothing' ? 'silent' : PINO_LEVELS[level]
}

/** What cannot be written on the way out is lost; the way out is not. */
function flush(stream: LogStream): void {
  try {
    stream.flushSync()
  } catch (error) {
    process.stderr.write(`the last log lines are lost: ${reasonOf(error)}\n`)
  }
}

/** A mistake of ours ends the process, but not before the log says why. */
export function logCrashes(logger: Logger): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    logger.log('warning', `crashed: ${error.stack}`)
    logger.flush()
  })
}

/** Ends the process once the last line is written. */
export function exitAfter(logger: Logger): (status: number) => never {
  return (status) => {
    logger.flush()
    return endProcess(status)
  }
}

/**
 * A full disk must not end what keeps a service alive: lines that cannot be written wait in a bounded
 * buffer, and beyond it they are lost.
 */
function destination(dest: number): DestinationStream {
  const stream = pino.destination({ dest, sync: true, maxLength: BACKLOG_MAX_BYTES })
  stream.on('error', () => undefined)
  return stream
}

async function openStream(file: string): Promise<DestinationStream> {
  if (file !== '') return destination(openLogFile(file))
  if (!process.stdout.isTTY) return destination(1)
  // Loaded only here: a daemon never needs it.
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    sync: true,
    translateTime: 'HH:MM:ss.l',
    ignore: 'pid,program,port',
  })
}

function openLogFile(path: string): number {
  try {
    return openSync(path, 'a')
  } catch (error) {
    throw new StartError(
      'E_LOG_FILE',
      `cannot write the log file ${path}: ${reasonOf(error)}`,
      'make its folder and make it writable for this user, or leave it out to log to standard output',
    )
  }
}

/**
 * Log lines: JSON for machines, readable text on a terminal, or Redis' own form. The level names are Redis' own, because
 * that is what `loglevel` in a configuration file means. Whatever a peer or a certificate calls itself,
 * a message is one line and cannot change the terminal it is read on.
 */
import { pino } from 'pino'
import type { LogFormat } from '../../base/log-format.ts'
import { oneLine } from '../../base/one-line.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import type { LogLevel } from '../../core/log-level.ts'
import { eventDocument } from '../../hooks/event-document.ts'
import { endProcess } from '../process/process-end.ts'
import { reasonOf } from '../start-error.ts'
import { type LogStream, openStream, type ToLine } from './log-file.ts'
import { type LineForm, logfmtLine, type RoleLetter, redisLine } from './redis-line.ts'
import type { Syslog } from './syslog.ts'

export interface LoggerOptions {
  /** Lines of lower levels are left out; `nothing` leaves out everything. */
  readonly level: LogLevel | 'nothing'
  /** [logfile] Empty means standard output. */
  readonly file: string
  /** Which program is logging: `sentinel` or `server`, and its port. */
  readonly program: string
  readonly port: number
  /** [log-format] `auto` by default. */
  readonly format?: LogFormat | undefined
  /** What stands behind the process id in Redis' form; `X` by default. */
  readonly role?: () => RoleLetter
  /** Gets every line that is written. */
  readonly syslog?: Syslog | undefined
}

export interface Logger {
  /** If the line tells of an event, a JSON line has what it is about in fields of their own. */
  log(level: LogLevel, text: string, event?: AnnouncedEvent): void
  /** From now on, lines of lower levels are left out. */
  setLevel(level: LogLevel | 'nothing'): void
  /** Writes out what is still buffered; call it before the process ends. */
  flush(): void
}

/** The log of a daemon. */
export interface DaemonLogger extends Logger {
  /**
   * Opens the file of this name and continues there, so that logs can be rotated; an empty name continues
   * in the current file. Returns the reason if that fails, and then nothing changes.
   */
  reopen(file: string): string | undefined
}

type PinoLevel = 'trace' | 'debug' | 'info' | 'warn'

const PINO_LEVELS: Readonly<Record<LogLevel, PinoLevel>> = {
  debug: 'trace',
  verbose: 'debug',
  notice: 'info',
  warning: 'warn',
}

export async function openLogger(options: LoggerOptions): Promise<DaemonLogger> {
  const { format = 'auto', file } = options
  const isTerminal = file === '' && process.stdout.isTTY
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal)
  const asIs: ToLine = (line) => line
  const stream = openStream(file, isPretty ? await prettyLines(isTerminal) : asIs)
  const form = LINE_FORMS[format]
  const written = form === undefined ? pinoLines(options, stream) : formLines(options, stream, form)
  const { level, syslog } = options
  const lines = syslog === undefined ? written : alsoTo(syslog, written, level)
  stream.warn = (text) => lines.log('warning', text)
  return { ...lines, reopen: (name) => stream.reopen(name), flush: () => flush(stream) }
}

const LINE_FORMS: Readonly<Partial<Record<LogFormat, LineForm>>> = {
  redis: redisLine,
  logfmt: logfmtLine,
}

type Lines = Pick<Logger, 'log' | 'setLevel'>

function pinoLines({ level, program, port }: LoggerOptions, stream: LogStream): Lines {
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
    log: (at, text, event) => {
      const line = oneLine(utf8Text(text))
      if (event === undefined) logger[PINO_LEVELS[at]](line)
      else logger[PINO_LEVELS[at]](eventDocument(event), line)
    },
    setLevel: (to) => {
      logger.level = pinoLevel(to)
    },
  }
}

const RISING: readonly (LogLevel | 'nothing')[] = [
  'debug',
  'verbose',
  'notice',
  'warning',
  'nothing',
]

/** The same lines, and each to syslog as well. */
function alsoTo(syslog: Syslog, lines: Lines, level: LoggerOptions['level']): Lines {
  let least = RISING.indexOf(level)
  return {
    log: (at, text, event) => {
      lines.log(at, text, event)
      if (RISING.indexOf(at) >= least) syslog.write(at, text)
    },
    setLevel: (to) => {
      least = RISING.indexOf(to)
      lines.setLevel(to)
    },
  }
}

function formLines(
  { level, role = () => 'X' }: LoggerOptions,
  stream: LogStream,
  form: LineForm,
): Lines {
  let least = RISING.indexOf(level)
  return {
    log: (at, text) => {
      if (RISING.indexOf(at) < least) return
      stream.write(form(process.pid, role(), new Date(), at, text))
    },
    setLevel: (to) => {
      least = RISING.indexOf(to)
    },
  }
}

function pinoLevel(level: LogLevel | 'nothing'): PinoLevel | 'silent' {
  return level === 'nothing' ? 'silent' : PINO_LEVELS[level]
}

/** Lines that cannot be written at the end are lost; the end itself must not fail. */
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
    for (const line of `crashed: ${error.stack}`.split('\n')) logger.log('warning', line)
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

/** In colour on a terminal alone. The fields of an event would only repeat its line. */
async function prettyLines(isTerminal: boolean): Promise<ToLine> {
  // Imported only here: a daemon never needs it.
  const { prettyFactory } = await import('pino-pretty')
  const options = { translateTime: 'HH:MM:ss.l', ignore: NOT_FOR_PEOPLE.join(',') }
  const pretty = prettyFactory(isTerminal ? options : { ...options, colorize: false })
  return (line) => pretty(line) ?? line
}

const NOT_FOR_PEOPLE = [
  ...['pid', 'program', 'port', 'event', 'group', 'instance', 'master', 'epoch', 'configEpoch'],
  ...['failover', 'evidence', 'details', 'by'],
]

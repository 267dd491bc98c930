/**
 * Log lines: JSON for machines, or readable text when somebody looks at a terminal. The levels on the
 * outside are Redis' own, because that is what `loglevel` in a configuration file means.
 */
import { type DestinationStream, pino } from 'pino'
import type { LogLevel } from '../core/effect.ts'

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
  /** Writes out what is still buffered; call it before the process ends. */
  flush(): void
}

type PinoLevel = 'trace' | 'debug' | 'info' | 'warn'

const PINO_LEVELS: Readonly<Record<LogLevel, PinoLevel>> = {
  debug: 'trace',
  verbose: 'debug',
  notice: 'info',
  warning: 'warn',
}

export async function openLogger(options: LoggerOptions): Promise<Logger> {
  const { level, program, port } = options
  const stream = await openStream(options.file)
  const logger = pino(
    {
      level: level === 'nothing' ? 'silent' : PINO_LEVELS[level],
      base: { pid: process.pid, program, port },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
  return {
    log: (at, text) => logger[PINO_LEVELS[at]](text),
    flush: () => (stream as Partial<{ flushSync(): void }>).flushSync?.(),
  }
}

/** Ends the process once the last line is written. */
export function exitAfter(logger: Logger): (status: number) => never {
  return (status) => {
    logger.flush()
    process.exit(status)
  }
}

async function openStream(file: string): Promise<DestinationStream> {
  if (file !== '') return pino.destination({ dest: file, mkdir: true, sync: true })
  if (!process.stdout.isTTY) return pino.destination({ dest: 1, sync: true })
  // Loaded only here: a daemon never needs it.
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    sync: true,
    translateTime: 'HH:MM:ss.l',
    ignore: 'pid,program,port',
    customLevels: 'debug:10,verbose:20,notice:30,warning:40',
    useOnlyCustomProps: true,
    customColors: 'debug:gray,verbose:gray,notice:cyan,warning:yellow',
  })
}

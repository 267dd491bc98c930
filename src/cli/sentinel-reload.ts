/**
 * SIGHUP: the configuration is read again. What can be changed is, what cannot is said, line by line. With
 * anything wrong in the file nothing is changed, but for the log file, which is opened anew in any case.
 */
import { formatProblem } from '../config/problem.ts'
import type { SentinelFile } from '../config/sentinel-file.ts'
import type { DaemonLogger } from '../io/logger.ts'
import type { SentinelHost } from '../io/sentinel-host.ts'
import { reasonOf, StartError } from '../io/start-error.ts'
import type { Tls } from '../io/tls.ts'
import { inFolder } from '../io/tls-paths.ts'
import { readSentinelFile, type SentinelSource } from './sentinel-config.ts'
import { changesForRestart } from './sentinel-restart.ts'

export interface ReloaderOptions {
  readonly source: SentinelSource
  /** The configuration as it was at the start. */
  readonly running: SentinelFile
  readonly host: Pick<SentinelHost, 'reload'>
  readonly tls: Tls
  readonly logger: DaemonLogger
}

export class Reloader {
  readonly #options: ReloaderOptions
  /** What the process was started with, which only a restart can change. */
  readonly #started: SentinelFile
  /** The file as it was last taken over. */
  #file: SentinelFile

  constructor(options: ReloaderOptions) {
    this.#options = options
    this.#started = options.running
    this.#file = options.running
  }

  reload(): void {
    const { logger } = this.#options
    const file = this.#read()
    const fault = logger.reopen((file ?? this.#file).logFile)
    if (fault !== undefined) logger.log('warning', `reload: ${fault}`)
    if (file === undefined) return
    logger.log('notice', 'reload: the configuration was read again')
    this.#take(file)
  }

  /** Undefined: it is not sound, and the log says why. */
  #read(): SentinelFile | undefined {
    const { source, logger } = this.#options
    try {
      const parsed = readSentinelFile(source)
      if (parsed.ok) return parsed.value
      logger.log('warning', 'reload: nothing is changed, the configuration has errors')
      for (const problem of parsed.problems) {
        logger.log('warning', `reload: ${problem.severity}: ${formatProblem(problem)}`)
      }
    } catch (error) {
      logger.log('warning', `reload: nothing is changed: ${messageOf(error)}`)
    }
    return undefined
  }

  #take(file: SentinelFile): void {
    const { host, logger } = this.#options
    const before = this.#file
    this.#file = file
    this.#takeTls(file)
    host.reload(file.core, before.core)
    for (const text of changesForRestart(this.#started, file)) {
      logger.log('warning', `reload: ${text} has changed, which takes a restart`)
    }
    logger.log('notice', 'reload: done')
  }

  /** The port, and whether links use TLS at all, stay as they are. */
  #takeTls(file: SentinelFile): void {
    const { tls, logger } = this.#options
    const { port, replication } = this.#started.tls
    try {
      tls.change(inFolder({ ...file.tls, port, replication }, process.cwd()))
    } catch (error) {
      logger.log('warning', `reload: TLS stays as it is: ${messageOf(error)}`)
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof StartError ? `${error.message}; ${error.hint}` : reasonOf(error)
}

/**
 * SIGHUP: the configuration is read again. What can be changed is changed, what cannot is logged, line by
 * line. If anything in the file is wrong nothing is changed, except that the log file is opened anew in
 * any case.
 */
import { blackBoxReads } from '../../config/black-box-options.ts'
import { formatProblem } from '../../config/problem.ts'
import type { SentinelFile } from '../../config/sentinel-file.ts'
import { certificatesUsedBy } from '../../config/tls-options.ts'
import type { DaemonLogger } from '../../io/log/logger.ts'
import type { SentinelHost } from '../../io/sentinel-host.ts'
import { reasonAndHintOf } from '../../io/start-error.ts'
import type { Tls } from '../../io/tls/tls.ts'
import { inFolder } from '../../io/tls/tls-paths.ts'
import { fitSentinel } from '../daemon/fit-clients.ts'
import { changesForRestart, type StartReads } from '../daemon/restart-changes.ts'
import { readSentinelFile, type SentinelSource } from './sentinel-config.ts'

export interface ReloaderOptions {
  readonly source: SentinelSource
  /** The configuration at the start. */
  readonly running: SentinelFile
  /** For how many clients the system has files. */
  readonly room: number | undefined
  readonly host: Pick<SentinelHost, 'reload'>
  readonly tls: Tls
  readonly changeWebhooks: (file: SentinelFile) => Promise<void>
  readonly changeProxy: (file: SentinelFile) => Promise<void>
  readonly logger: DaemonLogger
}

export class Reloader {
  readonly #options: ReloaderOptions
  /** The file that the process was started with; some of it only a restart can change. */
  readonly #started: SentinelFile
  /** The file that took effect last. */
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
    this.#take(this.#fit(file))
  }

  #fit(file: SentinelFile): SentinelFile {
    const { room, logger } = this.#options
    const { fitted, lowered } = fitSentinel(file, room)
    for (const text of lowered) logger.log('warning', `reload: ${text}`)
    return fitted
  }

  /** Undefined if it is not valid; the log says why. */
  #read(): SentinelFile | undefined {
    const { source, logger } = this.#options
    try {
      const parsed = readSentinelFile(source)
      if (parsed.ok) return parsed.value
      logger.log('warning', 'reload: nothing has changed, because the configuration has errors')
      for (const problem of parsed.problems) {
        logger.log('warning', `reload: ${problem.severity}: ${formatProblem(problem)}`)
      }
    } catch (error) {
      logger.log('warning', `reload: nothing has changed: ${reasonAndHintOf(error)}`)
    }
    return undefined
  }

  #take(file: SentinelFile): void {
    const { host, logger } = this.#options
    const before = this.#file
    this.#file = file
    this.#takeTls(file)
    this.#takeWebhooks(file)
    this.#takeProxy(file)
    host.reload(file.core, before.core)
    for (const text of changesForRestart(AT_START, this.#started, file)) {
      logger.log('warning', `reload: ${text} has changed, which needs a restart`)
    }
    logger.log('notice', 'reload: done')
  }

  #takeWebhooks(file: SentinelFile): void {
    const { changeWebhooks, logger } = this.#options
    changeWebhooks(file).catch((error: unknown) => {
      logger.log('warning', `reload: webhooks stay as they are: ${reasonAndHintOf(error)}`)
    })
  }

  #takeProxy(file: SentinelFile): void {
    const { changeProxy, logger } = this.#options
    changeProxy(file).catch((error: unknown) => {
      logger.log('warning', `reload: the proxy stays as it is: ${reasonAndHintOf(error)}`)
    })
  }

  /** The port, and whether links use TLS at all, stay as they are. */
  #takeTls(file: SentinelFile): void {
    const { tls, logger } = this.#options
    const { port, replication } = this.#started.tls
    const usedBy = certificatesUsedBy({ http: this.#started.http, proxy: file.proxy })
    try {
      tls.change(inFolder({ ...file.tls, port, replication }, process.cwd()), usedBy)
      tls.warnOfExpiry()
    } catch (error) {
      logger.log('warning', `reload: TLS stays as it is: ${reasonAndHintOf(error)}`)
    }
  }
}

// Settings that take effect only at the start of the process.

/** By their names in sentinel.conf. */
const AT_START: StartReads<SentinelFile> = [
  ['port', ({ core }) => core.port],
  ['bind', ({ listen }) => listen.bind],
  ['tls-port', ({ tls }) => tls.port],
  ['tls-replication', ({ tls }) => tls.replication],
  ['bind-source-addr', ({ bindSourceAddr }) => bindSourceAddr],
  ['dir', ({ stateDir }) => stateDir],
  ['state-file', ({ stateFile }) => stateFile],
  ['aclfile', ({ aclFile }) => aclFile],
  ['acl-pubsub-default', ({ core }) => core.aclPubsubDefault],
  ['acllog-max-len', ({ core }) => core.aclLogMaxLength],
  ['rename-command', ({ core }) => core.ownRenamedCommands],
  ['client-output-buffer-limit', ({ outputLimitBytes }) => outputLimitBytes],
  ['log-format', ({ logFormat }) => logFormat],
  ['daemonize', ({ daemonize }) => daemonize],
  ['pidfile', ({ pidFile }) => pidFile],
  ['supervised', ({ supervised }) => supervised],
  ['http-port', ({ http }) => http.port],
  ['http-bind', ({ http }) => http.bind],
  ['http-token', ({ http }) => http.token],
  ['http-token-file', ({ http }) => http.tokenFile],
  ['http-tls', ({ http }) => http.tls],
  ...blackBoxReads('sentinel').map(([name, read]): StartReads<SentinelFile>[number] => [
    name,
    ({ blackBox }) => read(blackBox),
  ]),
]

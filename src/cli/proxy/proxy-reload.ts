/**
 * SIGHUP at a proxy: its file is read again. Groups, Sentinels, times and TLS change without cutting a connection;
 * what needs a restart is logged. If anything in the file is wrong nothing changes, except that the log file is
 * opened anew in any case.
 */
import { blackBoxReads } from '../../config/black-box-options.ts'
import type { ProxyFile } from '../../config/proxy-file.ts'
import { certificatesUsedBy, type TlsOptions } from '../../config/tls-options.ts'
import type { DaemonLogger } from '../../io/log/logger.ts'
import { clientRoom } from '../../io/process/file-limit.ts'
import { reasonAndHintOf } from '../../io/start-error.ts'
import type { Tls } from '../../io/tls/tls.ts'
import { inFolder } from '../../io/tls/tls-paths.ts'
import { fitProxy } from '../daemon/fit-clients.ts'
import { changesForRestart, type StartReads } from '../daemon/restart-changes.ts'
import { type ProxySetup, readProxySetup } from './proxy-setup.ts'

export interface ProxyReloaderOptions {
  /** Undefined if options say everything: then only the files that they name are read again. */
  readonly file: string | undefined
  readonly started: ProxySetup
  readonly running: { change(proxy: ProxyFile): Promise<void> }
  readonly tls: Tls
  readonly logger: DaemonLogger
}

export class ProxyReloader {
  readonly #options: ProxyReloaderOptions
  readonly #room = clientRoom()
  #setup: ProxySetup

  constructor(options: ProxyReloaderOptions) {
    this.#options = options
    this.#setup = options.started
  }

  async reload(): Promise<void> {
    const { file, logger, tls } = this.#options
    const setup = file === undefined ? this.#setup : this.#read(file)
    const fault = logger.reopen((setup ?? this.#setup).log.logFile)
    if (fault !== undefined) logger.log('warning', `reload: ${fault}`)
    if (file === undefined) tls.reload()
    else if (setup !== undefined) await this.#take(setup)
  }

  /** Undefined if it is not valid; the log says why. */
  #read(file: string): ProxySetup | undefined {
    try {
      return readProxySetup(file, {})
    } catch (error) {
      this.#refuse(error)
      return undefined
    }
  }

  async #take(setup: ProxySetup): Promise<void> {
    const { started, running, tls, logger } = this.#options
    const { fitted, lowered } = fitProxy(setup.proxy, this.#room)
    let takeBack = () => {}
    try {
      const { http } = started
      takeBack = tls.change(proxyTls(setup), certificatesUsedBy({ http, proxy: setup.proxy }))
      await running.change(fitted)
    } catch (error) {
      takeBack()
      return this.#refuse(error)
    }
    this.#setup = setup
    tls.warnOfExpiry()
    logger.setLevel(setup.log.logLevel)
    for (const text of lowered) logger.log('warning', `reload: ${text}`)
    for (const text of changesForRestart(AT_START, started, setup)) {
      logger.log('warning', `reload: ${text} has changed, which needs a restart`)
    }
    logger.log('notice', 'reload: done; no connection was cut')
  }

  #refuse(error: unknown): void {
    const text = reasonAndHintOf(error)
    this.#options.logger.log('warning', `reload: nothing has changed: ${text}`)
  }
}

/** A proxy has no port that only speaks TLS: `tls` of the proxy makes its ports do so. */
export function proxyTls({ tls }: ProxySetup): TlsOptions {
  return inFolder({ ...tls, port: 0 }, process.cwd())
}

/** By their names in the file. */
const AT_START: StartReads<ProxySetup> = [
  ['proxy.bind', ({ proxy }) => proxy.bind],
  ['log-format', ({ log }) => log.logFormat],
  ['http-port', ({ http }) => http.port],
  ['http-bind', ({ http }) => http.bind],
  ['http-token', ({ http }) => http.token],
  ['http-token-file', ({ http }) => http.tokenFile],
  ['http-tls', ({ http }) => http.tls],
  ['dir', ({ record }) => record?.folder],
  ...blackBoxReads('proxy').map(([name, read]): StartReads<ProxySetup>[number] => [
    name,
    ({ record }) => record && read(record),
  ]),
]

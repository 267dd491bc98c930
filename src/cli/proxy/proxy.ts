/** `vedette proxy`: a plain address that always leads to the master. */
import type { ProxyFile } from '../../config/proxy-file.ts'
import { proxyConfig } from '../../config/proxy-file.ts'
import { certificatesUsedBy } from '../../config/tls-options.ts'
import { newMeters, type ProcessMeters } from '../../http/metrics/process-metrics.ts'
import type { HttpServer } from '../../io/http/http-server.ts'
import { exitAfter, type Logger, logCrashes, openLogger } from '../../io/log/logger.ts'
import { latenessInto } from '../../io/metrics/meters.ts'
import { clientRoom } from '../../io/process/file-limit.ts'
import { isSupervised } from '../../io/process/readiness.ts'
import { onReloadSignal, onStopSignal } from '../../io/process/signals.ts'
import { ProxyHost } from '../../io/proxy/proxy-host.ts'
import { ProxyPorts } from '../../io/proxy/proxy-ports.ts'
import { Tls, type TlsLog } from '../../io/tls/tls.ts'
import { fitProxy } from '../daemon/fit-clients.ts'
import { announceReady } from '../daemon/service-ready.ts'
import { joinCluster } from '../up/child.ts'
import { ownVersion } from '../version.ts'
import { openProxyJournal, type ProxyRecord } from './proxy-journal.ts'
import { ProxyReloader, proxyTls } from './proxy-reload.ts'
import { type ProxyOptions, type ProxySetup, readProxySetup } from './proxy-setup.ts'

/** Returns nothing while it runs; it then ends the process itself. Throws a StartError. */
export async function runProxy(
  file: string | undefined,
  options: ProxyOptions,
): Promise<number | undefined> {
  const setup = readProxySetup(file, options)
  const { log: level, record } = setup
  const { fitted: proxy, lowered } = fitProxy(setup.proxy, clientRoom())
  const port = proxy.groups[0]?.port ?? 0
  const { logLevel, logFile, logFormat } = level
  const logger = await openLogger({
    ...{ level: logLevel, file: logFile, format: logFormat, program: 'proxy', port },
  })
  logCrashes(logger)
  for (const text of lowered) logger.log('warning', text)
  const log: TlsLog = (severity, text) => logger.log(severity, text)
  const tls = new Tls(proxyTls(setup), log, certificatesUsedBy(setup))
  const meters = { ...newMeters(), certificates: () => tls.certificates }
  const running = await openProxy({ proxy, tls, logger, meters, record, onExit: exitAfter(logger) })
  const http = await openHttp(setup, running, { tls, log, meters })
  tls.watch()
  joinCluster()
  onStopSignal(() => running.stop())
  const reloader = new ProxyReloader({ file, started: setup, running, tls, logger })
  onReloadSignal(() => {
    void reloader.reload()
    http?.reload()
  })
  const supervised = isSupervised('auto') ? 'auto' : 'no'
  announceReady({ pidFile: '', supervised, isBackground: false }, logger)
  return undefined
}

export interface ProxyStart {
  readonly proxy: ProxyFile
  readonly tls: Tls
  readonly logger: Logger
  readonly meters: ProcessMeters
  readonly onExit: (status: number) => void
  /** [black-box] Where its journal is kept; undefined: there is none. */
  readonly record?: ProxyRecord | undefined
}

export interface RunningProxy {
  readonly host: ProxyHost
  /** Other ports and times; the connections stay. Throws a StartError, and then nothing has changed. */
  change(proxy: ProxyFile): Promise<void>
  /** No new clients; the process may end when those that are here have finished. */
  stop(): void
}

/** Also for a Sentinel that has a proxy in its own process. Throws a StartError. */
export async function openProxy(start: ProxyStart): Promise<RunningProxy> {
  const { proxy, tls, logger, meters, onExit, record } = start
  const journal = record && (await openProxyJournal(record, proxy, logger))
  const host = new ProxyHost({
    ...{ config: proxyConfig(proxy, tls.isOpening), logger, onExit },
    tls,
    noteLateness: latenessInto(meters),
    note: journal && ((now, event) => journal.note(now, event)),
  })
  const ports = new ProxyPorts({ tls, accept: (entrance, socket) => host.accept(entrance, socket) })
  await ports.change(proxy)
  for (const { name, port, readPort, socket, readSocket } of proxy.groups) {
    const places = [port || '', readPort === 0 ? '' : `${readPort} (reads)`, socket, readSocket]
    const where = places.filter((place) => place !== '').join(', ')
    logger.log('notice', `Proxy: clients of ${name} connect to ${where}`)
  }
  return {
    host,
    change: async (to) => {
      await ports.change(to)
      host.change(proxyConfig(to, tls.isOpening))
    },
    stop: () => {
      ports.close()
      host.stop()
    },
  }
}

interface HttpParts {
  readonly tls: Tls
  readonly log: TlsLog
  readonly meters: ProcessMeters
}

async function openHttp(
  { http, proxy }: ProxySetup,
  { host }: RunningProxy,
  { tls, log, meters }: HttpParts,
): Promise<HttpServer | undefined> {
  if (http.port === 0) return undefined
  const { HttpServer: Opened } = await import('../../io/http/http-server.ts')
  const { ProxySite } = await import('../../io/http/proxy-site.ts')
  const { proxyDocument } = await import('../../io/metrics/documents.ts')
  const site = new ProxySite(host, proxyDocument(host, ownVersion(), meters))
  return Opened.open({ http, bind: proxy.bind, tls, site, log })
}

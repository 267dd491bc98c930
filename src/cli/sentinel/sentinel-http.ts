/** [http-port] The HTTP listener of a Sentinel. Nothing of it is loaded unless the port is set. */
import type { SentinelFile } from '../../config/sentinel-file.ts'
import type { ProcessMeters } from '../../http/metrics/process-metrics.ts'
import type { HttpServer } from '../../io/http/http-server.ts'
import type { SentinelHost } from '../../io/sentinel-host.ts'
import type { Tls, TlsLog } from '../../io/tls/tls.ts'
import { ownVersion } from '../version.ts'

interface SentinelHttp {
  readonly file: SentinelFile
  readonly host: SentinelHost
  readonly tls: Tls
  readonly log: TlsLog
  /** What is measured from the start of the process on. */
  readonly meters: ProcessMeters
}

/** Throws a StartError. */
export async function openSentinelHttp(options: SentinelHttp): Promise<HttpServer | undefined> {
  const { file, host, tls, log, meters } = options
  if (file.http.port === 0) return undefined
  const { HttpServer } = await import('../../io/http/http-server.ts')
  const { SentinelSite } = await import('../../io/http/sentinel-site.ts')
  const { sentinelDocument } = await import('../../io/metrics/documents.ts')
  const version = ownVersion()
  const site = new SentinelSite(host, version, sentinelDocument(host, version, meters))
  return HttpServer.open({ http: file.http, bind: file.listen.bind, tls, site, log })
}

/** [http-port] The HTTP listener of a data node, from its settings. */
import { resolve } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { HttpOptions } from '../../config/http-options.ts'
import type { ProcessMeters } from '../../http/metrics/process-metrics.ts'
import type { HttpServer } from '../../io/http/http-server.ts'
import type { NodeHost } from '../../io/node-host.ts'
import type { Tls, TlsLog } from '../../io/tls/tls.ts'
import type { DataNode } from '../../server/node.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { ownVersion } from '../version.ts'

interface NodeHttp {
  readonly settings: Settings
  readonly host: NodeHost
  readonly node: DataNode
  readonly tls: Tls
  readonly log: TlsLog
  /** What is measured from the start of the process on. */
  readonly meters: ProcessMeters
}

/** Nothing of HTTP is loaded unless the port is set. Throws a StartError. */
export async function openNodeHttp(options: NodeHttp): Promise<HttpServer | undefined> {
  const { settings, host, node, tls, log, meters } = options
  const http = httpOptionsOf(settings)
  if (http.port === 0) return undefined
  const { HttpServer } = await import('../../io/http/http-server.ts')
  const { NodeSite } = await import('../../io/http/node-site.ts')
  const { nodeDocumentOf } = await import('../../io/metrics/documents.ts')
  const version = ownVersion()
  const site = new NodeSite(host, node, version, nodeDocumentOf({ host, node, version, meters }))
  return HttpServer.open({ http, bind: words(settings.text('bind')), tls, site, log })
}

/** The token's file is found in `dir`, as every other file of a data node. */
export function httpOptionsOf(settings: Settings): HttpOptions {
  const tokenFile = utf8Text(settings.text('http-token-file'))
  return {
    port: settings.int('http-port'),
    bind: words(settings.text('http-bind')),
    token: utf8Text(settings.text('http-token')),
    tokenFile: tokenFile === '' ? '' : resolve(utf8Text(settings.text('dir')), tokenFile),
    tls: settings.flag('http-tls'),
  }
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

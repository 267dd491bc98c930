/** The documents of /metrics: the pure functions of src/http/metrics, fed by the hosts. */
import { utf8Text } from '../../base/utf8.ts'
import { nodeMetrics } from '../../http/metrics/node-metrics.ts'
import type { ProcessMeters } from '../../http/metrics/process-metrics.ts'
import { proxyMetrics } from '../../http/metrics/proxy-metrics.ts'
import { SentinelMetrics } from '../../http/metrics/sentinel-metrics.ts'
import type { DataNode } from '../../server/node.ts'
import { DocumentInTurns } from '../in-turns.ts'
import type { NodeHost } from '../node-host.ts'
import type { ProxyHost } from '../proxy/proxy-host.ts'
import type { SentinelHost } from '../sentinel-host.ts'
import { readLedgers, readProcess } from './meters.ts'

export function sentinelDocument(
  host: SentinelHost,
  version: string,
  meters: ProcessMeters,
): () => Promise<Uint8Array> {
  const metrics = host.look((state) => new SentinelMetrics(state))
  const scrapes = new DocumentInTurns(() => {
    const reading = readProcess('sentinel', version, meters)
    const scrape = host.look((_state, now) => metrics.scrape(now, reading))
    return {
      slice: () => host.look((_state, now) => scrape.slice(now)),
      pieces: () => scrape.pieces(),
    }
  })
  return () => scrapes.document()
}

interface NodeSource {
  readonly host: NodeHost
  readonly node: DataNode
  readonly version: string
  readonly meters: ProcessMeters
}

export function nodeDocumentOf(source: NodeSource): () => Promise<Uint8Array> {
  const { host, node, version, meters } = source
  const { services } = node
  const scrapes = new DocumentInTurns(async () => {
    const ledgers = await readLedgers(utf8Text(services.settings.text('dir')))
    const reading = readProcess('server', version, meters)
    const pieces = host.look(() => nodeMetrics(services, ledgers, reading))
    return { slice: () => false, pieces: () => pieces }
  })
  return () => scrapes.document()
}

export function proxyDocument(
  host: ProxyHost,
  version: string,
  meters: ProcessMeters,
): () => Promise<Uint8Array> {
  const scrapes = new DocumentInTurns(() => {
    const reading = readProcess('proxy', version, meters)
    const pieces = host.look((proxy) => proxyMetrics(proxy, reading))
    return { slice: () => false, pieces: () => pieces }
  })
  return () => scrapes.document()
}

/** What a proxy tells by HTTP. */
import { no, type ProbeAnswer, yes } from '../../http/probe.ts'
import { proxyFields } from '../../proxy/proxy-info.ts'
import type { ProxyHost } from '../proxy/proxy-host.ts'
import { jsonBytes } from './http-reply.ts'
import type { HttpSite } from './http-site.ts'

export class ProxySite implements HttpSite {
  readonly #host: ProxyHost
  readonly metrics: () => Promise<Uint8Array>
  readonly events = undefined

  constructor(host: ProxyHost, metrics: () => Promise<Uint8Array>) {
    this.#host = host
    this.metrics = metrics
  }

  /** Whether a client would reach a master, of every group. */
  readiness(): ProbeAnswer {
    return this.#host.look((proxy) => {
      if (proxy.isStopping) return no('the proxy is stopping')
      const without = proxy.groups.filter((group) => group.masterAt(proxy.nowMs) === undefined)
      if (without.length === 0) return yes('the master of every group is confirmed')
      const names = without.map(({ name }) => name).join(', ')
      return no(`no majority of the Sentinels names a master of ${names}`)
    })
  }

  role(): ProbeAnswer {
    return no('this is a proxy: ask a node for its role, or /readiness here')
  }

  cluster(): Promise<Uint8Array> {
    const fields = this.#host.look((proxy) => Object.fromEntries(proxyFields(proxy)))
    return Promise.resolve(jsonBytes({ program: 'vedette-proxy', ...fields }))
  }
}

/** `proxy:` in sentinel.yml: a proxy in the process of a Sentinel. Nothing of it is loaded without that section. */
import type { ProxyFile } from '../../config/proxy-file.ts'
import type { SentinelFile } from '../../config/sentinel-file.ts'
import type { ProcessMeters } from '../../http/metrics/process-metrics.ts'
import type { Logger } from '../../io/log/logger.ts'
import type { Tls } from '../../io/tls/tls.ts'
import { DEFAULT_TIMING } from '../../proxy/proxy-options.ts'
import type { RunningProxy } from '../proxy/proxy.ts'

interface SidecarStart {
  readonly tls: Tls
  readonly logger: Logger
  readonly meters: ProcessMeters
  /** The folder of the state file. */
  readonly folder: string
  /** Its clients have finished. */
  readonly onExit: () => void
}

export class Sidecar {
  readonly #start: SidecarStart
  #running: RunningProxy | undefined

  private constructor(start: SidecarStart) {
    this.#start = start
  }

  /** Throws a StartError. */
  static async open(file: SentinelFile, start: SidecarStart): Promise<Sidecar> {
    const sidecar = new Sidecar(start)
    await sidecar.change(file)
    return sidecar
  }

  /** The file was read again. Throws a StartError, and then nothing has changed. */
  async change(file: SentinelFile): Promise<void> {
    const proxy = file.proxy === undefined ? NONE : atHome(file, file.proxy)
    if (this.#running !== undefined) return this.#running.change(proxy)
    if (file.proxy === undefined) return
    const { openProxy } = await import('../proxy/proxy.ts')
    this.#running = await openProxy({
      ...this.#start,
      proxy,
      record: { folder: this.#start.folder, ...file.blackBox },
    })
  }

  /** Calls `onExit` when its clients have finished; at once if there never was a proxy. */
  stop(): void {
    if (this.#running === undefined) this.#start.onExit()
    else this.#running.stop()
  }
}

/** The section has been removed from the file: no new client is accepted. */
const NONE: ProxyFile = {
  ...{ groups: [], sentinels: [] },
  ...{ bind: [], hasTls: false, user: '', password: '', sendProxy: 0, maxClients: 1 },
  timing: DEFAULT_TIMING,
}

/**
 * Without `sentinels` it asks the Sentinel it lives with, and those that one knows. With a password for Sentinels, that
 * is the password.
 */
function atHome({ listen, core }: SentinelFile, proxy: ProxyFile): ProxyFile {
  const address = listen.bind.find((one) => !one.includes('*') && !one.startsWith('-'))
  const own = { host: address ?? '127.0.0.1', port: listen.port || core.tlsPort }
  const sentinels = proxy.sentinels.length > 0 ? proxy.sentinels : [own]
  return { ...proxy, sentinels, password: proxy.password || core.requirepass }
}

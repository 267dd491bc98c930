/**
 * What Sentinels say in their hellos, as data nodes pass them on. The same hello comes from every node,
 * and one that waited behind a partition comes late: what a Sentinel said before, or before something
 * newer, is no news.
 */
import { type Hello, parseHello } from '../../core/hello-text.ts'
import type { Occurrence } from '../../sim/happening.ts'

export class HelloFacts {
  /** The highest epoch each Sentinel has told, in a hello about any group. */
  readonly #currentEpochs = new Map<string, number>()
  /** The newest configuration it has told, by Sentinel and group. */
  readonly #configEpochs = new Map<string, number>()
  readonly #said = new Set<string>()
  readonly #tell: (hello: Hello, occurrence: Occurrence) => void

  constructor(tell: (hello: Hello, occurrence: Occurrence) => void) {
    this.#tell = tell
  }

  heard(payload: string): void {
    const hello = parseHello(payload)
    if (hello === undefined || !this.#isNews(hello)) return
    const { runId, group, configEpoch, masterHost, masterPort } = hello
    const master = { host: masterHost, port: masterPort }
    // The current epoch is left out: a vote may overtake a hello that was sent before it.
    this.#tell(hello, { kind: 'hello', sentinelId: runId, group, configEpoch, master })
  }

  #isNews(hello: Hello): boolean {
    const { runId, group, masterHost, masterPort } = hello
    if (this.#isLate(hello)) return false
    this.#currentEpochs.set(runId, hello.currentEpoch)
    this.#configEpochs.set(`${runId} ${group}`, hello.configEpoch)
    const text = `${runId} ${group} ${hello.configEpoch} ${masterHost}:${masterPort}`
    if (this.#said.has(text)) return false
    this.#said.add(text)
    return true
  }

  #isLate({ runId, group, currentEpoch, configEpoch }: Hello): boolean {
    const newest = this.#configEpochs.get(`${runId} ${group}`) ?? 0
    return currentEpoch < (this.#currentEpochs.get(runId) ?? 0) || configEpoch < newest
  }
}

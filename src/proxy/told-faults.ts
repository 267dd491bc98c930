/** What is wrong with a Sentinel or a replica: each fault is told once, until all is well again. */
import { oneLine } from '../base/one-line.ts'
import type { ProxyLogLevel } from './port.ts'

/** So many different ones in a row are told: a stranger must not fill the log. */
const MAX_TOLD = 5

export class ToldFaults {
  /** By the group it is about; empty: the connection. */
  readonly #told = new Map<string, Set<string>>()
  readonly #tell: (level: ProxyLogLevel, text: string) => void

  constructor(tell: (level: ProxyLogLevel, text: string) => void) {
    this.#tell = tell
  }

  wrong(about: string, text: string): void {
    const told = this.#told.get(about) ?? new Set()
    this.#told.set(about, told)
    if (told.has(text) || told.size >= MAX_TOLD) return
    told.add(text)
    this.#tell('warning', oneLine(text))
  }

  /** `text` is told if there was a fault. */
  well(about: string, text: string): void {
    if (this.#told.delete(about)) this.#tell('notice', text)
  }
}

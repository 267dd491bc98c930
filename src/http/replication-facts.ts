/** What a master's INFO says of its own offset and of the offset that each replica has acknowledged. */
import type { Master } from '../core/state.ts'

export interface ReplicationFacts {
  readonly masterOffset: number | null
  /** Bytes of the stream acknowledged, by `host:port` as the master lists the replica. */
  readonly acknowledged: ReadonlyMap<string, number>
}

/** The facts of each master, kept for as long as it does not send another INFO. */
export class KnownFacts {
  readonly #known = new WeakMap<
    Master,
    { readonly text: string; readonly facts: ReplicationFacts }
  >()

  of(master: Master): ReplicationFacts {
    const known = this.#known.get(master)
    if (known?.text === master.infoText) return known.facts
    const facts = replicationFacts(master.infoText)
    this.#known.set(master, { text: master.infoText, facts })
    return facts
  }
}

/** Both come from one INFO, so their difference is a lag, however old the INFO is. */
export function replicationFacts(infoText: string): ReplicationFacts {
  const acknowledged = new Map<string, number>()
  let at = infoText.indexOf('role:master')
  const masterOffset = fieldNumber(infoText, '\nmaster_repl_offset:', at) ?? null
  // Searched for and not split: an INFO has five thousand bytes, and there may be thousands of INFOs.
  for (let index = 0; ; index++) {
    at = infoText.indexOf(`\nslave${index}:`, at)
    if (at < 0) return { masterOffset, acknowledged }
    const [, ip, port] = /ip=([^,\r\n]*),port=(\d+),/.exec(infoText.slice(at, at + 400)) ?? []
    const offset = fieldNumber(infoText, ',offset=', at)
    if (port !== undefined && offset !== undefined) acknowledged.set(`${ip}:${port}`, offset)
  }
}

/** The number behind the first such text after `from`. */
function fieldNumber(text: string, name: string, from: number): number | undefined {
  const at = from < 0 ? -1 : text.indexOf(name, from)
  if (at < 0) return undefined
  const number = Number.parseInt(text.slice(at + name.length, at + name.length + 16), 10)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

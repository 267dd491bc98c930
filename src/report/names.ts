/** Run ids and addresses as people know them: by the names of the scenario file. */

import type { History } from '../scenario/world.ts'
import type { Happening } from '../sim/happening.ts'
import { withNames } from '../sim/trace.ts'

export interface Naming {
  /** The process at an address, or the address itself. */
  at(host: string, port: string): string
  /** The Sentinel with this run id, or the id itself, shortened. */
  sentinel(runId: string): string
  /** A text as it was said, with names for every address and run id in it. */
  text(said: string): string
}

const RUN_ID = /[0-9a-f]{40}/g
const SHORT_ID_LENGTH = 8

export function createNaming(history: History): Naming {
  const ids = sentinelNames(history.happenings)
  const sentinel = (id: string): string => ids.get(id) ?? id.slice(0, SHORT_ID_LENGTH)
  return {
    at: (host, port) => history.nameOf({ host, port: Number(port) }),
    sentinel,
    text: (said) => withNames(said, history.nameOf).replace(RUN_ID, sentinel),
  }
}

/** Whoever said something under a run id has it. */
function sentinelNames(happenings: readonly Happening[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const happening of happenings) {
    if (!('sentinelId' in happening) || happening.process === undefined) continue
    names.set(happening.sentinelId, happening.process)
  }
  return names
}

/** Replaces run ids and addresses by the names that people know, those of the scenario file. */

import type { Happening } from '../history/happening.ts'
import { withNames } from '../history/trace.ts'
import type { RunHistory } from '../scenario/world.ts'

export interface Naming {
  /** The process at an address, or the address itself. */
  at(host: string, port: string): string
  /** The Sentinel with this run id, or the id itself, shortened. */
  sentinel(runId: string): string
  /** A text with names in place of all addresses and run ids. */
  text(said: string): string
}

const RUN_ID = /[0-9a-f]{40}/g
const SHORT_ID_LENGTH = 8

export function createNaming(history: RunHistory): Naming {
  const ids = sentinelNames(history.happenings)
  const sentinel = (id: string): string => ids.get(id) ?? id.slice(0, SHORT_ID_LENGTH)
  return {
    at: (host, port) => history.nameOf({ host, port: Number(port) }),
    sentinel,
    text: (said) => withNames(said, history.nameOf).replace(RUN_ID, sentinel),
  }
}

/** A process that says something under a run id has that id. */
function sentinelNames(happenings: readonly Happening[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const happening of happenings) {
    if (!('sentinelId' in happening) || happening.process === undefined) continue
    names.set(happening.sentinelId, happening.process)
  }
  return names
}

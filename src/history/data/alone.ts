/** FLUSHALL, which takes the data of everybody: only a client that is alone with its group asks for it. */
import type { Rng } from '../../base/rng.ts'
import { type CommandRows, only } from './command-row.ts'
import { NO_HOLDINGS } from './holdings.ts'

export const ALONE: CommandRows = {
  FLUSHALL: {
    kind: 'write',
    weight: 0,
    keys: () => [],
    draw: () => [],
    apply: ({ holdings }) => only({ ...holdings, databases: NO_HOLDINGS.databases }, 'OK'),
  },
}

const FLUSH_ONE_IN = 120

/** The words of the command; undefined: this time the client asks something else. */
export function drawFlush(rng: Rng): readonly string[] | undefined {
  if (!rng.chance(1, FLUSH_ONE_IN)) return undefined
  return ['FLUSHALL', rng.pick(['SYNC', 'ASYNC'])]
}

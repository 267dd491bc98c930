/** The FAILOVER command of the data nodes in a trace: as much of it as a Sentinel can see. */
import { array, bulk, error, OK, type Reply } from '../../src/resp/reply.ts'

/**
 * `obeys`: the roles are exchanged at once. `stalls`: it is on its way until the script says otherwise.
 * `refuses`: FAILOVER is answered with an error, but runs with the rest of its transaction. `forbids`: our
 * user may not send it.
 */
export type HandoverMood = 'obeys' | 'stalls' | 'refuses' | 'forbids'

export interface HandoverServer {
  master: string | undefined
  handover: HandoverMood | undefined
  handoverTo: string | undefined
}

const REFUSAL = error('ERR FAILOVER target HOST and PORT is not a replica.')
const NOPERM = error("NOPERM this user has no permissions to run the 'failover' command")
const EXECABORT = error('EXECABORT Transaction discarded because of previous errors.')

/** Answers one command of a coordinated failover; `complete` exchanges the roles. */
export function answerHandover<Server extends HandoverServer>(
  server: Server,
  argv: readonly string[],
  complete: (server: Server) => void,
): Reply {
  const [verb, word, host, port] = argv
  if (verb === 'EXEC') return server.handover === 'forbids' ? EXECABORT : executed(server)
  if (verb !== 'FAILOVER') return verb === 'MULTI' ? OK : bulk('QUEUED')
  if (server.handover === 'forbids') return NOPERM
  if (word === 'ABORT') {
    server.handoverTo = undefined
    return OK
  }
  if (server.handover !== 'refuses') server.handoverTo = `${host}:${port}`
  if (server.handover === 'obeys') complete(server)
  return bulk('QUEUED')
}

function executed({ handover }: HandoverServer): Reply {
  return array(handover === 'refuses' ? [OK, REFUSAL] : [OK, OK])
}

/** The line of INFO, for servers that know the command. */
export function handoverLines({ handover, handoverTo }: HandoverServer): string[] {
  if (handover === undefined) return []
  const word = handoverTo === undefined ? 'no-failover' : 'waiting-for-sync'
  return [`master_failover_state:${word}`]
}

/** IS-MASTER-DOWN-BY-ADDR, by which peers ask for our opinion and our vote. Here it is only read. */
import { parseInt64 } from '../../base/decimal.ts'
import { canonicalIp } from '../../base/ip.ts'
import { array, bulk, integer, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { parseEpoch } from '../epoch.ts'
import { hearOf } from '../names/names.ts'
import type { Turn } from '../state.ts'
import { answerAsk } from '../vote.ts'
import { NOT_AN_INTEGER } from './errors.ts'
import { sentinelCommand } from './sentinel-command.ts'

/** What we say of a master we do not watch. */
const UNKNOWN_MASTER = array([integer(0), bulk('*'), integer(0)])

/**
 * A negative or absurd epoch is refused: C Sentinel adopts it, tells it on, and from then on no honest
 * epoch in the cluster can be higher.
 */
function isMasterDown(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, , host = '', portText = '', epochText = '', runId = ''] = argv
  const port = parseInt64(portText)
  const epoch = parseEpoch(epochText)
  if (port === undefined || epoch === undefined) return NOT_AN_INTEGER
  if (port < 1 || port > 65_535) return UNKNOWN_MASTER
  // What is no address yet will be one by the time the peer asks again.
  hearOf(turn, host)
  const question = {
    host: canonicalIp(host) ?? host,
    port: Number(port),
    epoch,
    runId: isCandidate(runId) ? runId : '*',
  }
  return answerAsk(turn, question, client.name)
}

/** A vote is kept on disk and told on, so it is only given to something that could be a run id. */
function isCandidate(runId: string): boolean {
  return /^[!-~]{1,40}$/.test(runId)
}

export const IS_MASTER_DOWN = sentinelCommand(
  {
    name: 'is-master-down-by-addr',
    arity: 6,
    usage: '<ip> <port> <current-epoch> <runid>',
    summary: 'Say whether this Sentinel sees that master down, and vote if a run id asks for it.',
  },
  isMasterDown,
)

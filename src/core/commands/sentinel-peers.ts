/**
 * What peers ask us: IS-MASTER-DOWN-BY-ADDR, for our opinion and our vote, and CONFER, among
 * Sentinels of our own make, for what we see before any Sentinel publishes it. This file only reads
 * both.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { canonicalIp } from '../../base/ip.ts'
import { array, bulk, integer, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { parseEpoch } from '../election/epoch.ts'
import { answerAsk, answerConfer, type DownQuestion } from '../election/vote.ts'
import { hearOf } from '../names/names.ts'
import type { Turn } from '../state.ts'
import { NOT_AN_INTEGER } from './errors.ts'
import { sentinelCommand } from './sentinel-command.ts'

/** What we say about a master that we do not watch. */
const UNKNOWN_MASTER = array([integer(0), bulk('*'), integer(0)])

/**
 * A negative or absurd epoch is refused. C Sentinel adopts it and passes it on, and from then on no
 * honest epoch in the cluster can be higher.
 */
function isMasterDown(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const question = readQuestion(turn, argv)
  if (question === undefined) return NOT_AN_INTEGER
  if (question.port < 1 || question.port > 65_535) return UNKNOWN_MASTER
  return answerAsk(turn, question, client)
}

function confer(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const question = readQuestion(turn, argv)
  return question === undefined ? NOT_AN_INTEGER : answerConfer(turn, question)
}

/**
 * Reads `<ip> <port> <epoch> <runid>` after the name of the subcommand; undefined: one of the
 * numbers is not a number.
 */
function readQuestion(turn: Turn, argv: readonly string[]): DownQuestion | undefined {
  const [, , host = '', portText = '', epochText = '', runId = ''] = argv
  const port = parseInt64(portText)
  const epoch = parseEpoch(epochText)
  if (port === undefined || epoch === undefined) return undefined
  // If the host is a name, it will have an address by the time the peer asks again.
  hearOf(turn, host)
  return {
    host: canonicalIp(host) ?? host,
    port: Number(port),
    epoch,
    runId: isCandidate(runId) ? runId : '*',
  }
}

/** A vote is kept on disk and passed on, so it goes only to what could be a run id. */
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

export const CONFER = sentinelCommand(
  {
    name: 'confer',
    isOurs: true,
    arity: 6,
    usage: '<ip> <port> <epoch> <runid>',
    summary:
      'Say what this Sentinel sees of that master, and whether it would vote so. Does not bind it.',
  },
  confer,
)

/**
 * SENTINEL EPOCHS: the epochs of this Sentinel, and the three steps that lower them together with
 * those of all other Sentinels (renumber.ts). `vedette epochs` takes these steps with a whole
 * fleet.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { hostAndPort } from '../../base/ip.ts'
import { array, bulk, error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { electorsOf } from '../election/quorum.ts'
import { freeze, lower, release } from '../election/renumber.ts'
import { currentMaster, type Group, type State, type Turn } from '../state.ts'
import { NOT_AN_INTEGER, wrongArity } from './errors.ts'
import { sentinelCommand } from './sentinel-command.ts'

const NO_SAVE = error('ERR The state of this Sentinel cannot be saved. Check its log')
const UNKNOWN_STEP = error('ERR Unknown step: FREEZE, LOWER, RELEASE or CANCEL')
const BAD_TOKEN = error('ERR Invalid token: 1 to 64 printable characters without blanks')

function epochs(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , step, token = '', ...words] = argv
  if (step === undefined) return report(turn.state)
  if (!/^[!-~]{1,64}$/.test(token)) return BAD_TOKEN
  if (!turn.state.canSave) return NO_SAVE
  const name = step.toLowerCase()
  if (words.length > 0 !== (name === 'lower')) return wrongArity('sentinel|epochs')
  switch (name) {
    case 'freeze':
      return answer(freeze(turn, token), report(turn.state))
    case 'lower':
      return lowerTo(turn, token, words)
    case 'release':
      return answer(release(turn, token, false), OK)
    case 'cancel':
      return answer(release(turn, token, true), OK)
    default:
      return UNKNOWN_STEP
  }
}

function lowerTo(turn: Turn, token: string, [to = '', ...frozen]: readonly string[]): Reply {
  const epoch = parseInt64(to)
  if (typeof epoch !== 'number') return NOT_AN_INTEGER
  return answer(lower(turn, token, epoch, new Set(frozen)), OK)
}

function answer(objection: string | undefined, done: Reply): Reply {
  return objection === undefined ? done : error(objection)
}

/**
 * `running`, `frozen` or `lowered`, our run id, the current epoch, and what we know about each
 * group. The numbers are text, because some client libraries are not exact for large integers.
 */
function report({ renumbering, myid, currentEpoch, groups }: State): Reply {
  const phase = renumbering === undefined ? 'running' : renumbering.isLowered ? 'lowered' : 'frozen'
  return array([
    bulk(phase),
    bulk(myid),
    bulk(String(currentEpoch)),
    array([...groups.values()].map((group) => groupReport(group))),
  ])
}

/**
 * Name, master, config epoch, epoch of the last vote, and the run ids of the Sentinels that count.
 */
function groupReport(group: Group): Reply {
  const { host, port } = currentMaster(group)
  return array([
    bulk(group.config.name),
    bulk(hostAndPort(host, port)),
    bulk(String(group.configEpoch)),
    bulk(String(group.leaderEpoch)),
    array(electorsOf(group).map(({ runId }) => bulk(runId))),
  ])
}

export const EPOCHS = sentinelCommand(
  {
    name: 'epochs',
    isOurs: true,
    arity: -2,
    usage: '[FREEZE <token> | LOWER <token> <epoch> <runid>... | RELEASE <token> | CANCEL <token>]',
    summary: 'Show the epochs, or lower them together with all other Sentinels (vedette epochs).',
  },
  epochs,
)

/**
 * SENTINEL FAILOVER: an operator's order. It replaces both O_DOWN and the election; with COORDINATED, only O_DOWN.
 * With TO, the operator also chooses the replica. DRYRUN says what would be done, in order, and what
 * stands in the way, and changes nothing.
 *
 * What the operator can know now, the operator hears now, and not when the time is up.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { type Address, hostAndPort } from '../../base/ip.ts'
import { array, bulk, bulks, error, OK, type Reply } from '../../resp/reply.ts'
import { isUsedUp } from '../election/epoch.ts'
import { CURE } from '../election/new-epoch.ts'
import { needsVotes } from '../election/quorum.ts'
import { canBeHandedTo, handoverCandidates } from '../failover/coordinated.ts'
import { requestFailover } from '../failover/failover.ts'
import { type FailoverPlan, type OrderedFailover, planOf } from '../failover/failover-plan.ts'
import { placeOf, promotableReplicas, reasonAgainstNamed } from '../failover/selection.ts'
import { sameAddress } from '../names/names.ts'
import type { Group, Replica, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { log } from '../turn.ts'
import { NO_SAVE_TEXT, wrongArity } from './errors.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

const IN_PROGRESS = 'INPROG Failover already in progress'
const NO_GOOD_REPLICA = 'NOGOODSLAVE No suitable replica to promote'
const NO_EPOCH = `NOEPOCH There is no epoch for a failover; ${CURE}`
const NO_FAILOVER_COMMAND = 'NOGOODPRIMARY Primary does not support FAILOVER command'
const PRIMARY_DOWN = 'NOGOODPRIMARY Primary is down or out of reach, and cannot hand over'
const PRIMARY_IS_REPLICA = 'NOGOODPRIMARY Primary says that it is a replica'
const NOT_CONNECTED = 'it is not connected to the master, which cannot hand over to it'

/** The order as it was typed. */
interface Typed {
  readonly kind: OrderedFailover
  readonly to: Address | undefined
  readonly isDryRun: boolean
}

const UNKNOWN_OPTION = error('ERR Unknown failover option specified')
const NO_ADDRESS = error('ERR TO takes the host and the port of a replica')

function failover(turn: Turn, group: Group, argv: readonly string[]): Reply {
  const { typed, mistake } = readWords(argv.slice(3))
  if (mistake !== undefined) return mistake
  const target = typed.to && findReplica(turn, group, typed.to)
  const refusal = refusalOf(turn, group, typed, target)
  if (typed.isDryRun) return planReply(planOf(turn, group, typed.kind, target, refusal))
  if (refusal !== undefined) return error(refusal)
  const to = target === undefined ? '' : ` to ${placeOf(turn.state, target)}`
  log(turn, 'notice', `Executing user requested FAILOVER of '${group.config.name}'${to}`)
  requestFailover(turn, group, typed.kind, target)
  return OK
}

interface Words {
  readonly typed: Typed
  readonly mistake: Reply | undefined
}

function readWords(words: readonly string[]): Words {
  let typed: Typed = { kind: 'forced', to: undefined, isDryRun: false }
  for (let at = 0; at < words.length; at++) {
    const word = words[at]?.toLowerCase()
    const isPlace = word === 'to' && typed.to === undefined
    if (word === 'coordinated' && typed.kind === 'forced') typed = { ...typed, kind: 'coordinated' }
    else if (word === 'dryrun' && !typed.isDryRun) typed = { ...typed, isDryRun: true }
    else if (isPlace) typed = { ...typed, to: readPlace(words[++at], words[++at]) }
    else return { typed, mistake: at === 0 ? UNKNOWN_OPTION : TOO_MANY_WORDS }
    if (isPlace && typed.to === undefined) return { typed, mistake: NO_ADDRESS }
  }
  return { typed, mistake: undefined }
}

/** As Valkey says it of anything behind its own option. */
const TOO_MANY_WORDS = wrongArity('sentinel|failover')

function readPlace(host = '', portText = ''): Address | undefined {
  const port = parseInt64(portText)
  if (host === '' || typeof port !== 'number' || port < 1 || port > 65_535) return undefined
  return { host, port }
}

function findReplica(turn: Turn, group: Group, to: Address): Replica | undefined {
  return [...group.replicas.values()].find((one) => sameAddress(turn.state, one, to))
}

/** Why it is not done, as an error reply says it; undefined: nothing is in the way. */
function refusalOf(turn: Turn, group: Group, typed: Typed, target: Replica | undefined) {
  const { kind, to } = typed
  return (
    (kind === 'coordinated' ? primaryFault(group) : undefined) ??
    startFault(turn, group, kind) ??
    (to === undefined ? choiceFault(turn, group, kind) : targetFault(turn, group, typed, target))
  )
}

/** Only a master that works can hand over. */
function primaryFault({ master }: Group): string | undefined {
  if (isSdown(master) || commandLink(master) === undefined) return PRIMARY_DOWN
  if (master.roleReported !== 'master') return PRIMARY_IS_REPLICA
  return master.failoverReported === 'unsupported' ? NO_FAILOVER_COMMAND : undefined
}

function startFault(turn: Turn, group: Group, kind: OrderedFailover): string | undefined {
  const { canSave, currentEpoch, renumbering } = turn.state
  // After a crash we could be elected in the same epoch again.
  if (!canSave && needsVotes(group, kind)) return NO_SAVE_TEXT
  if (isUsedUp(currentEpoch) || renumbering !== undefined) return NO_EPOCH
  const isAtIt = kind === 'coordinated' && group.master.failoverReported === 'running'
  return group.failover !== undefined || isAtIt ? IN_PROGRESS : undefined
}

function choiceFault(turn: Turn, group: Group, kind: OrderedFailover): string | undefined {
  const candidates = (kind === 'coordinated' ? handoverCandidates : promotableReplicas)(turn, group)
  return candidates.length === 0 ? NO_GOOD_REPLICA : undefined
}

function targetFault(
  turn: Turn,
  group: Group,
  { kind, to }: Typed,
  target: Replica | undefined,
): string | undefined {
  const place =
    target === undefined ? hostAndPort(to?.host ?? '', to?.port ?? 0) : placeOf(turn.state, target)
  const reason =
    target === undefined ? unknownText(turn, group, to) : targetReason(turn, kind, target)
  return reason && `NOGOODSLAVE ${place} cannot be promoted: ${reason}`
}

function targetReason(turn: Turn, kind: OrderedFailover, target: Replica): string | undefined {
  const reason = reasonAgainstNamed(turn, target)
  if (reason !== undefined || kind === 'forced') return reason
  return canBeHandedTo(turn.state, target) ? undefined : NOT_CONNECTED
}

function unknownText({ state }: Turn, { config, replicas }: Group, to: Address | undefined) {
  if (to !== undefined && sameAddress(state, config, to)) return 'it is the master already'
  const known = [...replicas.values()].map((one) => placeOf(state, one))
  const which = known.length === 0 ? 'it has none' : `they are ${known.join(', ')}`
  return `it is no replica of '${config.name}' that this Sentinel knows; ${which}`
}

/** Names and values in turn, as in SENTINEL MASTER; `steps` and `replicas` are lists. */
function planReply(plan: FailoverPlan): Reply {
  const { replicas, steps, ...words } = plan
  const entries = Object.entries({ ...words, possible: plan.possible ? 'yes' : 'no' })
  return {
    kind: 'map',
    entries: [
      ...entries.map(([name, value]) => [bulk(name), bulk(String(value))] as const),
      [bulk('steps'), bulks(steps)],
      [bulk('replicas'), array(replicas.map(replicaReply))],
    ],
  }
}

function replicaReply(replica: FailoverPlan['replicas'][number]): Reply {
  return {
    kind: 'map',
    entries: Object.entries(replica).map(([name, value]) => [bulk(name), bulk(String(value))]),
  }
}

export const FAILOVER = sentinelCommand(
  {
    name: 'failover',
    arity: -3,
    usage: '<master-name> [COORDINATED] [TO <host> <port>] [DRYRUN]',
    summary:
      'Promote a replica now, the best or the one named; coordinated, the master hands over to it, and no write is lost. DRYRUN only tells what would be done.',
  },
  onGroup(failover),
)

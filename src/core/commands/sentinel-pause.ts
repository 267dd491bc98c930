/**
 * SENTINEL PAUSE, RESUME and FORGET, which operators give and all Sentinels carry out, and the two
 * commands by which they tell each other: SHARE-PAUSE and BY-HAND.
 */
import { canonicalIp } from '../../base/ip.ts'
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { parseEpoch } from '../election/epoch.ts'
import { electorCount, electorsOf, majority } from '../election/quorum.ts'
import { beginPhase, checkForget, forgetLocally } from '../pause/forget-orders.ts'
import type { ForgetTask, OrderTask, PauseTask } from '../pause/operator-order.ts'
import { beginOrder, beginPauseOrder, notEnough } from '../pause/orders.ts'
import { isPaused } from '../pause/pause.ts'
import { answerShare } from '../pause/pause-news.ts'
import { PAUSE_MAX_MS, REASON_MAX_BYTES } from '../pause/pause-record.ts'
import { isInReachToShare } from '../pause/share-pause.ts'
import type { Group, Turn } from '../state.ts'
import { NO_SAVE_TEXT, NOT_AN_INTEGER, SYNTAX_ERROR } from './errors.ts'
import { parseInteger, refuseControlCharacters } from './sentinel-arguments.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

const PAUSE_MAX_SECONDS = PAUSE_MAX_MS / 1_000
const BAD_SECONDS = error(
  `ERR Invalid time: seconds from 1 to ${PAUSE_MAX_SECONDS}, which is a day`,
)
const LONG_REASON = error(`ERR The reason is longer than ${REASON_MAX_BYTES} bytes`)
const FAILING_OVER = error(
  'INPROG A failover is in progress: it would not stop. Try again after it',
)
const NO_SAVE = error(NO_SAVE_TEXT)
const BAD_SHARE = error('ERR This is no pause that a Sentinel could share')
const NOT_KNOWN = error('ERR No replica and no Sentinel of this group is known at that address')
const BAD_PORT = error('ERR Invalid port')

function pause(turn: Turn, group: Group, argv: readonly string[], client: Client) {
  const done = outcomeFor(turn, client)
  if (done !== undefined) return done
  const [, , , secondsText = '', ...words] = argv
  const seconds = parseInteger(secondsText)
  const reason = words.join(' ').trim()
  if (seconds === undefined || seconds < 1 || seconds > PAUSE_MAX_SECONDS) return BAD_SECONDS
  if (reason.length > REASON_MAX_BYTES) return LONG_REASON
  const refusal = refuseControlCharacters(argv, 'SENTINEL PAUSE') ?? refusePause(turn, group)
  if (refusal !== undefined) return refusal
  return order(turn, group, client, newTask(group, client, 'pause', seconds * 1_000, reason))
}

function refusePause({ state }: Turn, group: Group): Reply | undefined {
  if (!state.canSave) return NO_SAVE
  if (group.failover !== undefined) return FAILING_OVER
  const able = 1 + electorsOf(group).filter(isInReachToShare).length
  return able < majority(electorCount(group)) ? notEnough(group, able, []) : undefined
}

/** Works with any number of Sentinels: those that hear of it later resume later. */
function resume(turn: Turn, group: Group, _argv: readonly string[], client: Client) {
  const done = outcomeFor(turn, client)
  if (done !== undefined) return done
  if (!turn.state.canSave) return NO_SAVE
  if (!isPaused(group)) return notPaused(group)
  return order(turn, group, client, newTask(group, client, 'resume', 0, ''))
}

function notPaused(group: Group): Reply {
  const electors = electorCount(group)
  const able = 1 + electorsOf(group).filter(isInReachToShare).length
  const doubt =
    able >= majority(electors) ? '' : `; but it reaches ${able} of ${electors}: ask another`
  return error(`NOTPAUSED '${group.config.name}' is not paused, as this Sentinel knows it${doubt}`)
}

function newTask(
  { pause: before }: Group,
  { account, address }: Client,
  kind: PauseTask['kind'],
  durationMs: number,
  reason: string,
): PauseTask {
  const host = address.slice(0, address.lastIndexOf(':'))
  const by = `${account.name}@${host}`
  const phase = kind === 'pause' ? 'ask' : 'give'
  return { kind, phase, durationMs, by, reason, before, number: before.number, attempts: 0 }
}

/** Undefined: the client waits, and the command runs again when the peers have answered. */
function order(turn: Turn, group: Group, client: Client, task: OrderTask): Reply | undefined {
  const begun = beginOrder(turn, group, client.id, task)
  if (task.kind === 'forget') beginPhase(turn, group, begun, task)
  else beginPauseOrder(turn, group, begun, task)
  if (begun.reply !== undefined) return outcomeFor(turn, client)
  client.isWaiting = true
  return undefined
}

/** The reply to the order that the client waited for. */
function outcomeFor({ state: { orders } }: Turn, { id }: Client): Reply | undefined {
  const at = orders.findIndex(({ client, reply }) => client === id && reply !== undefined)
  return at < 0 ? undefined : orders.splice(at, 1)[0]?.reply
}

function forget(turn: Turn, group: Group, argv: readonly string[], client: Client) {
  const done = outcomeFor(turn, client)
  if (done !== undefined) return done
  const [, , , hostText = '', portText = '', mode = '', ...more] = argv
  const port = parseInteger(portText)
  const how = mode.toLowerCase()
  if (port === undefined || port < 1 || port > 65_535) return BAD_PORT
  if (more.length > 0 || !['', 'check', 'local'].includes(how)) return SYNTAX_ERROR
  const address = { host: canonicalIp(hostText) ?? hostText, port }
  const found = checkForget(turn, group, address)
  // A peer that asks or tells is content if there is nothing to forget.
  if (found === undefined) return how === '' ? NOT_KNOWN : OK
  if ('text' in found) return error(found.text)
  if (how === 'check') return OK
  if (how === 'local') return forgetLocally(turn, group, address) ?? OK
  const task: ForgetTask = { kind: 'forget', ...address, phase: 'ask' }
  return order(turn, group, client, task)
}

function share(turn: Turn, group: Group, argv: readonly string[], client: Client): Reply {
  const speaker = client.name || client.address
  return answerShare(turn, group, argv.slice(3), speaker) ?? BAD_SHARE
}

/** The vote that this candidate asks for next was ordered by hand. */
function byHand(_turn: Turn, group: Group, argv: readonly string[]): Reply {
  const [, , , epochText = '', leader = ''] = argv
  const epoch = parseEpoch(epochText)
  if (epoch === undefined || !/^[0-9a-f]{40}$/.test(leader)) return NOT_AN_INTEGER
  group.electionByHand = { epoch, leader }
  return OK
}

const NAME = '<master-name>'

export const PAUSES = [
  sentinelCommand(
    {
      name: 'pause',
      isOurs: true,
      arity: -4,
      usage: `${NAME} <seconds> [reason]`,
      summary: 'Keep all Sentinels from failing a master over by themselves, for a time.',
    },
    onGroup(pause),
  ),
  sentinelCommand(
    {
      name: 'resume',
      isOurs: true,
      arity: 3,
      usage: NAME,
      summary: 'Let the Sentinels fail a master over by themselves again.',
    },
    onGroup(resume),
  ),
  sentinelCommand(
    {
      name: 'forget',
      isOurs: true,
      arity: -5,
      usage: `${NAME} <ip> <port> [CHECK | LOCAL]`,
      summary: 'Make all Sentinels forget a replica or a Sentinel that is gone for good.',
    },
    onGroup(forget),
  ),
  sentinelCommand(
    {
      name: 'share-pause',
      isOurs: true,
      arity: 10,
      usage: `${NAME} <number> <kind> <runid> <left-ms> <sure> <by> <reason>`,
      summary: 'Tell a pause to another Sentinel, and hear which one it holds.',
    },
    onGroup(share),
  ),
  sentinelCommand(
    {
      name: 'by-hand',
      isOurs: true,
      arity: 5,
      usage: `${NAME} <epoch> <runid>`,
      summary:
        'Say that an operator ordered the election in that epoch, for which votes are asked.',
    },
    onGroup(byHand),
  ),
]

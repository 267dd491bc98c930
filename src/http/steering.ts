/**
 * POST /failover, /switchover, /pause, /resume: which command of the Sentinel an order means, and which
 * status its reply becomes. The command goes through the same table as one of a client, so what it checks
 * and refuses, it checks and refuses here.
 */
import type { Address } from '../base/ip.ts'
import type { Reply } from '../resp/reply.ts'
import { askedNode } from './asked-node.ts'

export const ORDERS = ['failover', 'switchover', 'pause', 'resume'] as const
export type SteeringWord = (typeof ORDERS)[number]

/** The fields of the body; unknown ones are refused, because a misspelt one would change the meaning. */
const FIELDS: Readonly<Record<SteeringWord, readonly string[]>> = {
  failover: ['group', 'to', 'candidate', 'dryRun'],
  switchover: ['group', 'to', 'candidate', 'dryRun', 'leader'],
  pause: ['group', 'seconds', 'reason'],
  resume: ['group'],
}

export type SteeringBody = Readonly<Record<string, unknown>>

export interface SteeringCommand {
  readonly argv: readonly string[]
  /** [Patroni] The master that the caller believes in: it must be that one, or nothing is done. */
  readonly leader: Address | undefined
}

export interface SteeringFault {
  readonly fault: string
}

/** `group`: the name of a group that the machine watches. */
export function steeringCommand(
  word: SteeringWord,
  group: string,
  body: SteeringBody,
): SteeringCommand | SteeringFault {
  const unknown = Object.keys(body).find((field) => !FIELDS[word].includes(field))
  if (unknown !== undefined) {
    return { fault: `${word} has no field '${unknown}'; it has ${FIELDS[word].join(', ')}` }
  }
  switch (word) {
    case 'failover':
    case 'switchover':
      return failoverCommand(word, group, body)
    case 'pause':
      return pauseCommand(group, body)
    case 'resume':
      return { argv: ['SENTINEL', 'RESUME', group], leader: undefined }
  }
}

function failoverCommand(
  word: SteeringWord,
  group: string,
  { to, candidate, dryRun, leader }: SteeringBody,
): SteeringCommand | SteeringFault {
  if (isGiven(to) && isGiven(candidate) && to !== candidate) {
    return { fault: 'to and candidate name two replicas; one of the fields is enough' }
  }
  const target = place('to', to ?? candidate)
  const from = place('leader', leader)
  if (target !== undefined && 'fault' in target) return target
  if (from !== undefined && 'fault' in from) return from
  if (dryRun !== undefined && typeof dryRun !== 'boolean') {
    return { fault: 'dryRun is true or false' }
  }
  const argv = [
    ...['SENTINEL', 'FAILOVER', group],
    ...(word === 'switchover' ? ['COORDINATED'] : []),
    ...(target === undefined ? [] : ['TO', target.host, String(target.port)]),
    ...(dryRun === true ? ['DRYRUN'] : []),
  ]
  return { argv, leader: from }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function place(field: string, value: unknown): Address | SteeringFault | undefined {
  if (!isGiven(value)) return undefined
  const found = typeof value === 'string' ? askedNode(value, undefined) : undefined
  return found === undefined || 'fault' in found ? { fault: `${field} is a host:port` } : found
}

function pauseCommand(
  group: string,
  { seconds, reason }: SteeringBody,
): SteeringCommand | SteeringFault {
  const isNumber = typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0
  if (!isNumber) {
    return { fault: 'seconds says for how long, as in {"seconds": 600}: a pause ends by itself' }
  }
  if (reason !== undefined && typeof reason !== 'string') return { fault: 'reason is a text' }
  const words = reason === undefined || reason === '' ? [] : [reason]
  return { argv: ['SENTINEL', 'PAUSE', group, String(seconds), ...words], leader: undefined }
}

export interface SteeringAnswer {
  readonly status: 200 | 400 | 404 | 409
  readonly body: { readonly ok: boolean; readonly text: string; readonly reply: unknown }
}

/** The order was understood, and cannot be carried out as things are. */
const CONFLICTS: readonly string[] = [
  'INPROG',
  'NOGOODSLAVE',
  'NOGOODPRIMARY',
  'NOEPOCH',
  'NOQUORUM',
  'NOMAJORITY',
  'NOTPAUSED',
]

export function steeringAnswer(reply: Reply | undefined): SteeringAnswer {
  if (reply?.kind === 'error') return refused(reply.text, null)
  const said = plain(reply)
  if (!isPlan(said)) return { status: 200, body: { ok: true, text: 'done', reply: said } }
  // A script that asks first sees by the status whether the order would be taken.
  if (said.possible !== 'yes') return refused(said.refusal, said)
  const text = `${said.to} would become the master in place of ${said.from}; nothing was done`
  return { status: 200, body: { ok: true, text, reply: said } }
}

function refused(text: string, reply: unknown): SteeringAnswer {
  const isConflict = CONFLICTS.includes(text.split(' ')[0] ?? '')
  const status = isConflict ? 409 : text.startsWith('ERR No such master') ? 404 : 400
  return { status, body: { ok: false, text, reply } }
}

/** The answer to DRYRUN, as far as it is told in words here. */
interface Plan {
  readonly possible: string
  readonly refusal: string
  readonly from: string
  readonly to: string
}

function isPlan(said: unknown): said is Plan {
  return typeof said === 'object' && said !== null && 'possible' in said && 'steps' in said
}

/** A reply as JSON has it; a map becomes an object. */
function plain(reply: Reply | undefined): unknown {
  switch (reply?.kind) {
    case undefined:
    case 'null':
    case 'nullArray':
      return null
    case 'simple':
    case 'verbatim':
    case 'error':
      return reply.text
    case 'bulk':
      return reply.bytes
    case 'integer':
      return Number(reply.value)
    case 'bulks':
      return reply.texts.map((text) => text ?? null)
    case 'array':
    case 'set':
    case 'push':
      return reply.items.map(plain)
    case 'map':
      return Object.fromEntries(reply.entries.map(([key, value]) => [plain(key), plain(value)]))
    default:
      return null
  }
}

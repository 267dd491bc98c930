/** What a client sends: one command for each number, in the form of its kind of work. */
import { unreachable } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import { drawFlush } from '../../history/data/alone.ts'
import {
  type DataRequest,
  drawRequest,
  lookAround,
  mayWrite,
  NUMBERS_PER_REQUEST,
  sentFor,
} from '../../history/data/requests.ts'
import { changesShared } from '../../history/shared/shared-data.ts'
import { drawSharedRequests, type SharedDrawing } from '../../history/shared/shared-requests.ts'
import type { OperationKind } from '../../history/topology.ts'
import type { Operation } from '../../history/writes.ts'
import type { Reply } from '../../resp/reply.ts'
import type { NewsCourse } from './news-course.ts'
import type { ScanCourse } from './scan-course.ts'

/** Less than a client waits for an answer. */
const WAIT_MS = 500

export type ClientRequest =
  | { readonly kind: 'write'; readonly argv: readonly string[]; readonly operation: Operation }
  | { readonly kind: 'read'; readonly argv: readonly string[]; readonly key: string }
  /** Undefined operation: the request changes nothing. */
  | {
      readonly kind: 'data'
      readonly request: DataRequest
      readonly operation: Operation | undefined
    }

/**
 * The request with this number. `owner` is a name that no other client ever has, in any life. So
 * keys are never shared, and what a node must hold follows from what one client was told.
 */
export function requestOf(
  kind: Exclude<OperationKind, 'data' | 'shared'>,
  owner: string,
  number: number,
): ClientRequest {
  switch (kind) {
    case 'keys': {
      const key = `${owner}:${number}`
      return { kind: 'write', argv: ['SET', key, key], operation: { kind: 'key', key } }
    }
    case 'set': {
      const member = String(number)
      const operation: Operation = { kind: 'member', set: owner, member }
      return { kind: 'write', argv: ['SADD', owner, member], operation }
    }
    case 'counter':
      return {
        kind: 'write',
        argv: ['INCR', owner],
        operation: { kind: 'increment', counter: owner },
      }
    case 'register':
      return number % 2 === 0 ? assign(owner, number / 2 + 1) : readOf(owner)
    default:
      return unreachable(kind)
  }
}

/**
 * The number to continue with on a new connection. A register is read there before it is written:
 * the next value would hide what an earlier node had promised.
 */
export function firstNumber(kind: OperationKind, number: number): number {
  return kind === 'register' && number % 2 === 0 ? number + 1 : number
}

function assign(key: string, value: number): ClientRequest {
  const operation: Operation = { kind: 'assign', key, value }
  return { kind: 'write', argv: ['SET', key, String(value)], operation }
}

function readOf(key: string): ClientRequest {
  return { kind: 'read', argv: ['GET', key], key }
}

/** The number in a reply: the answer to INCR, or the value of a register. */
export function numberIn(reply: Reply): number | undefined {
  if (reply.kind === 'integer') return Number(reply.value)
  return reply.kind === 'bulk' ? Number(reply.bytes) : undefined
}

/** What a client draws its requests from that works on databases of its own. */
export interface DataWork {
  readonly rng: Rng
  readonly databases: readonly [home: number, second: number]
  /** No other client works with the group. */
  readonly isAlone?: boolean
}

/** More than the requests of a life. */
const NUMBERS_PER_LIFE = 1_000_000

/** What it asks beside, drawn from streams of their own. */
export interface Asides {
  readonly scans: ScanCourse
  /** Undefined where its connection leads to a proxy. */
  readonly news: NewsCourse | undefined
  /** Undefined where other clients have data, too. */
  readonly flushes: Rng | undefined
}

/** The request with this number in this life of the client. */
export function dataRequestOf(
  { rng, databases }: DataWork,
  { scans, news, flushes }: Asides,
  { life, number, isAlone }: { life: number; number: number; isAlone: boolean },
): ClientRequest {
  const [home, second] = databases
  const unique = life * NUMBERS_PER_LIFE + number * NUMBERS_PER_REQUEST
  const aside = scans.next(unique) ?? news?.next(unique)
  if (aside !== undefined) return asDataRequest(aside)
  const flush = flushes && drawFlush(flushes)
  if (flush !== undefined) return asDataRequest({ commands: [flush], form: 'command' })
  return asDataRequest(drawRequest({ rng, unique, home, second, isAlone }))
}

/** What a client asks of keys that others use as well, one after the other. */
export function sharedRequestsOf(drawing: SharedDrawing): readonly ClientRequest[] {
  return drawSharedRequests(drawing).map((request) => {
    const operation = request.commands.some(changesShared)
      ? ({ kind: 'data', request } as const)
      : undefined
    return { kind: 'data', request, operation }
  })
}

export function isWatch(request: ClientRequest): boolean {
  if (request.kind !== 'data') return false
  return request.request.watched !== undefined && request.request.form === 'command'
}

/** Not carried out, as the client had asked for: a key that it watched has changed. */
export function isVain(request: ClientRequest, reply: Reply): boolean {
  const isConditional = request.kind === 'data' && request.request.watched !== undefined
  return isConditional && reply.kind === 'null'
}

/** On a new connection: to the home database, and what is left of everything. */
export function firstDataRequests({ databases: [home, second] }: DataWork): ClientRequest[] {
  const select = { commands: [['SELECT', `${home}`]], form: 'command' } as const
  return [asDataRequest(select), asDataRequest(lookAround(home, second))]
}

function asDataRequest(request: DataRequest): ClientRequest {
  const operation = mayWrite(request) ? ({ kind: 'data', request } as const) : undefined
  return { kind: 'data', request, operation }
}

/** The commands of a request, one reply each. */
export function commandsOf(request: ClientRequest): readonly (readonly string[])[] {
  if (request.kind !== 'data') return [request.argv]
  return sentFor(request.request)
}

/** What follows a write whose client wants so many replicas to have it. */
export function waitFor(replicas: number | undefined): readonly (readonly string[])[] {
  return replicas === undefined ? [] : [['WAIT', String(replicas), String(WAIT_MS)]]
}

/** Whether WAIT has counted so many. */
export function isEnough(counted: Reply, replicas: number): boolean {
  return counted.kind === 'integer' && Number(counted.value) >= replicas
}

export function valueAfter(
  { operation }: { readonly operation: Operation },
  reply: Reply,
): number | undefined {
  return operation.kind === 'increment' ? numberIn(reply) : undefined
}

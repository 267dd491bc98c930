/**
 * ZUNION, ZINTER and ZDIFF, the same with the result stored at a key, and ZINTERCARD. Plain sets are
 * allowed too: each member has the score 1.
 */
import { error, integer, type Reply } from '../../../resp/reply.ts'
import { parseDouble } from '../../arguments/float-argument.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NEGATIVE_LIMIT, NOT_AN_INTEGER, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import type { KeyspaceEvent } from '../../sessions/keyspace-event.ts'
import { sortedSetOf } from '../../values/large.ts'
import type { SortedSet } from '../../values/sorted-set.ts'
import {
  type Aggregate,
  combine,
  difference,
  intersectionSize,
  membersOf,
  type ZsetInput,
} from '../../values/zset-combining.ts'
import { membersReply, pairsReply, storeZset } from './zset-members.ts'

const BAD_WEIGHT = error('ERR weight value is not a float')

type Operation = 'union' | 'inter' | 'diff'

/** What a command of this family accepts after its keys. */
interface Form {
  /** In lower case, for its error. */
  readonly name: string
  readonly operation: Operation
  /** Index of the number of keys. */
  readonly countAt: number
  readonly kind: 'reply' | 'store' | 'card'
}

interface Request {
  readonly inputs: ZsetInput[]
  aggregate: Aggregate
  withScores: boolean
  /** 0 for none. */
  limit: number
}

function parseRequest(
  context: CommandContext,
  argv: readonly string[],
  form: Form,
): Request | Reply {
  const { countAt } = form
  const keyCount = parseInteger(argv[countAt])
  if (keyCount === undefined) return NOT_AN_INTEGER
  if (keyCount < 1) return error(`ERR at least 1 input key is needed for '${form.name}' command`)
  if (keyCount > argv.length - countAt - 1) return SYNTAX_ERROR
  const inputs: ZsetInput[] = []
  for (const key of argv.slice(countAt + 1, countAt + 1 + keyCount)) {
    const value = context.db.source(key)
    const members = membersOf(value)
    if (members === undefined) return WRONG_TYPE
    inputs.push({ members, weight: 1 })
  }
  const request: Request = { inputs, aggregate: 'SUM', withScores: false, limit: 0 }
  return parseOptions(argv, countAt + 1 + keyCount, form, request) ?? request
}

/** Fills the request; returns an error, or undefined. */
function parseOptions(
  argv: readonly string[],
  from: number,
  form: Form,
  request: Request,
): Reply | undefined {
  const takesWeights = form.operation !== 'diff' && form.kind !== 'card'
  const { length: keyCount } = request.inputs
  for (let at = from; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    const left = argv.length - at - 1
    if (word === 'WEIGHTS' && takesWeights && left >= keyCount) {
      if (!setWeights(request, argv.slice(at + 1, at + 1 + keyCount))) return BAD_WEIGHT
      at += keyCount
    } else if (word === 'AGGREGATE' && takesWeights && left >= 1) {
      const aggregate = parseAggregate(arg(argv, ++at))
      if (aggregate === undefined) return SYNTAX_ERROR
      request.aggregate = aggregate
    } else if (word === 'WITHSCORES' && form.kind === 'reply') {
      request.withScores = true
    } else if (word === 'LIMIT' && form.kind === 'card' && left >= 1) {
      const limit = parseInteger(argv[++at])
      if (limit === undefined || limit < 0) return NEGATIVE_LIMIT
      request.limit = limit
    } else {
      return SYNTAX_ERROR
    }
  }
  return undefined
}

function setWeights({ inputs }: Request, words: readonly string[]): boolean {
  for (const [index, word] of words.entries()) {
    const weight = parseDouble(word)
    const input = inputs[index]
    if (weight === undefined || input === undefined) return false
    inputs[index] = { ...input, weight }
  }
  return true
}

function parseAggregate(word: string): Aggregate | undefined {
  const aggregate = word.toUpperCase()
  return aggregate === 'SUM' || aggregate === 'MIN' || aggregate === 'MAX' ? aggregate : undefined
}

function resultOf({ db }: CommandContext, request: Request, operation: Operation): SortedSet {
  const { inputs, aggregate } = request
  const scored = operation === 'diff' ? difference(inputs) : combine(inputs, aggregate, operation)
  return sortedSetOf(scored, db.entries.hash)
}

function answering(name: string, operation: Operation) {
  const form: Form = { name, operation, countAt: 1, kind: 'reply' }
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const request = parseRequest(context, argv, form)
    if ('kind' in request) return request
    const result = resultOf(context, request, operation)
    return request.withScores ? pairsReply(context, result) : membersReply(result)
  }
}

function storing(name: KeyspaceEvent, operation: Operation) {
  const form: Form = { name, operation, countAt: 2, kind: 'store' }
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const request = parseRequest(context, argv, form)
    if ('kind' in request) return request
    const result = resultOf(context, request, operation)
    storeZset(context, arg(argv, 1), result, name)
    return integer(result.size)
  }
}

const COUNTING: Form = { name: 'zintercard', operation: 'inter', countAt: 1, kind: 'card' }

function zInterCard(context: CommandContext, argv: readonly string[]): Reply {
  const request = parseRequest(context, argv, COUNTING)
  if ('kind' in request) return request
  const limit = request.limit === 0 ? Number.POSITIVE_INFINITY : request.limit
  return integer(intersectionSize(request.inputs, limit))
}

const READ = ['1# RO access']
const STORED = ['1 OW update', '2# RO access']
const STORES = 'write denyoom'

export const zsetAlgebraCommands = [
  command('zunion', -3, 'readonly', READ, answering('zunion', 'union')),
  command('zinter', -3, 'readonly', READ, answering('zinter', 'inter')),
  command('zdiff', -3, 'readonly', READ, answering('zdiff', 'diff')),
  command('zintercard', -3, 'readonly', READ, zInterCard),
  command('zunionstore', -4, STORES, STORED, storing('zunionstore', 'union')),
  command('zinterstore', -4, STORES, STORED, storing('zinterstore', 'inter')),
  command('zdiffstore', -4, STORES, STORED, storing('zdiffstore', 'diff')),
]

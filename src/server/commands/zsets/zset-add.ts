/** ZADD and ZINCRBY: how they change a member's score, and what replicas get. */
import { error, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { parseDouble } from '../../arguments/float-argument.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_A_FLOAT, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import type { ZsetValue } from '../../values/value.ts'
import { double, openZset, storableScore } from './zset-members.ts'

const XX_AND_NX = error('ERR XX and NX options at the same time are not compatible')
const GT_LT_NX = error('ERR GT, LT, and/or NX options at the same time are not compatible')
const SEVERAL_INCREMENTS = error('ERR INCR option supports a single increment-element pair')
const NOT_A_NUMBER = error('ERR resulting score is not a number (NaN)')

const OPTIONS: ReadonlySet<string> = new Set(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'])

type Options = ReadonlySet<string>

const NO_OPTIONS: Options = new Set()

interface Addition {
  readonly member: string
  readonly score: number
}

interface Counts {
  added: number
  updated: number
  /**
   * Left unchanged because an option forbade the change; a member that already has the score does
   * not count.
   */
  refused: number
  /** The score of the last element. */
  score: number
}

export function zAdd(context: CommandContext, argv: readonly string[]): Reply {
  const firstScore = optionsEnd(argv)
  const options = firstScore === 2 ? NO_OPTIONS : optionsOf(argv.slice(2, firstScore))
  const pairs = (argv.length - firstScore) / 2
  if (pairs === 0 || !Number.isInteger(pairs)) return SYNTAX_ERROR
  const conflict = options.size === 0 ? undefined : conflictIn(options, pairs)
  if (conflict !== undefined) return conflict
  return addAll(context, argv, options, firstScore)
}

export function zIncrBy(context: CommandContext, argv: readonly string[]): Reply {
  // Redis parses the options of ZADD here as well; with any option, the number of words is wrong.
  if (optionsEnd(argv) > 2) return SYNTAX_ERROR
  return addAll(context, argv, new Set(['INCR']), 2)
}

function optionsOf(words: readonly string[]): Options {
  return new Set(words.map((word) => word.toUpperCase()))
}

/** Index of the first word that is not an option. */
function optionsEnd(argv: readonly string[]): number {
  let at = 2
  while (at < argv.length && OPTIONS.has(arg(argv, at).toUpperCase())) at++
  return at
}

function conflictIn(options: Options, pairs: number): Reply | undefined {
  const has = (name: string) => options.has(name)
  if (has('NX') && has('XX')) return XX_AND_NX
  const rivals = ['GT', 'LT', 'NX'].filter(has)
  if (rivals.length > 1) return GT_LT_NX
  return has('INCR') && pairs > 1 ? SEVERAL_INCREMENTS : undefined
}

function addAll(
  context: CommandContext,
  argv: readonly string[],
  options: Options,
  firstScore: number,
): Reply {
  const additions: Addition[] = []
  for (let at = firstScore; at < argv.length; at += 2) {
    const score = parseDouble(argv[at])
    if (score === undefined) return NOT_A_FLOAT
    additions.push({ score, member: arg(argv, at + 1) })
  }
  const key = arg(argv, 1)
  const present = context.db.value(key)
  if (present !== undefined && present.type !== 'zset') return WRONG_TYPE
  const counts = applyAll(context, key, present, additions, options)
  if (counts === undefined) return NOT_A_NUMBER
  const { added, updated, refused, score } = counts
  if (added + updated > 0) {
    context.notify(options.has('INCR') ? 'zincr' : 'zadd', key)
    context.propagate(argv, added + updated)
  }
  if (options.has('INCR')) return refused > 0 ? NULL : double(score)
  return integer(options.has('CH') ? added + updated : added)
}

/**
 * Undefined if the sum is that of two opposite infinities, which is possible only with a single
 * element.
 */
function applyAll(
  context: CommandContext,
  key: string,
  present: ZsetValue | undefined,
  additions: readonly Addition[],
  options: Options,
): Counts | undefined {
  const counts: Counts = { added: 0, updated: 0, refused: 0, score: 0 }
  let zset = present
  for (const { member, score: given } of additions) {
    const old = zset?.set.score(member)
    const score = options.has('INCR') && old !== undefined ? old + given : given
    if (Number.isNaN(score)) return undefined
    counts.score = score
    if (isRefused(old, score, options)) {
      counts.refused++
    } else if (old !== score) {
      const isOpen = counts.added + counts.updated > 0
      if (zset === undefined || !isOpen) zset = openZset(context, key, zset)
      zset.set.set(member, storableScore(zset, member, score, context.node.settings))
      if (old === undefined) counts.added++
      else counts.updated++
    }
  }
  return counts
}

function isRefused(old: number | undefined, score: number, options: Options): boolean {
  if (old === undefined) return options.has('XX')
  if (options.has('NX')) return true
  return (options.has('GT') && score <= old) || (options.has('LT') && score >= old)
}

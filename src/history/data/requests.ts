/**
 * What a client sends at a time: one command, or a transaction. Drawn from the tables of commands,
 * applied to holdings, and compared with what the client was told.
 */
import { assert } from '../../base/assert.ts'
import type { CommandRow, CommandRows, Drawing, Expected, Outcome } from './command-row.ts'
import { HASHES } from './hashes.ts'
import { type CarriedOut, type Holdings, passTime } from './holdings.ts'
import { KEYSPACE } from './keyspace.ts'
import { LISTS } from './lists.ts'
import { SETS } from './sets.ts'
import { SORTED_SETS } from './sorted-sets.ts'
import { STREAMS } from './streams.ts'
import { STRINGS } from './strings.ts'
import { isSameTold, isToldError, type Told } from './told.ts'
import { KEYS_OF, MIXED_KEYS } from './vocabulary.ts'

/** By the name of the family, as the page about the simulator lists them. */
export const FAMILIES = {
  strings: STRINGS,
  hashes: HASHES,
  lists: LISTS,
  sets: SETS,
  'sorted sets': SORTED_SETS,
  streams: STREAMS,
  'keys and databases': KEYSPACE,
} as const satisfies Readonly<Record<string, CommandRows>>

const COMMANDS: CommandRows = Object.assign({}, ...Object.values(FAMILIES))

export type Argv = readonly string[]

/** One command, or those of a transaction, between MULTI and EXEC. */
export interface DataRequest {
  readonly commands: readonly Argv[]
  readonly isTransaction: boolean
}

const TRANSACTION_ONE_IN = 8
const TRANSACTION_MAX = 4
const LOOK_ONE_IN = 100

/** Names of commands, as often as their weights say. */
const LOTS: readonly string[] = Object.entries(COMMANDS).flatMap(([name, { weight }]) =>
  Array<string>(weight).fill(name),
)

export function drawRequest(drawing: Drawing): DataRequest {
  const { rng, home, second } = drawing
  if (rng.chance(1, LOOK_ONE_IN)) return lookAround(home, second)
  if (!rng.chance(1, TRANSACTION_ONE_IN)) {
    return { commands: [drawCommand(drawing)], isTransaction: false }
  }
  const count = 2 + rng.below(TRANSACTION_MAX - 1)
  const commands = Array.from({ length: count }, (_, at) =>
    drawCommand({ ...drawing, unique: drawing.unique + at }),
  )
  return { commands, isTransaction: true }
}

/** Numbers that requests use: one for each command a transaction may have. */
export const NUMBERS_PER_REQUEST = TRANSACTION_MAX

function drawCommand(drawing: Drawing): Argv {
  const name = drawing.rng.pick(LOTS)
  const row = rowOf(name)
  if (row.isChance === true && !drawing.isAlone) return drawCommand(drawing)
  return [...name.split(' '), ...row.draw(drawing)]
}

/** Everything in both databases of a client, read in one transaction. */
export function lookAround(home: number, second: number): DataRequest {
  // What changes most comes first: states that do not fit are soon told apart.
  const reads: readonly Argv[] = [
    ...[...KEYS_OF.number, ...KEYS_OF.string].map((key) => ['GET', key]),
    ...KEYS_OF.hash.map((key) => ['HGETALL', key]),
    ...KEYS_OF.list.map((key) => ['LRANGE', key, '0', '-1']),
    ...KEYS_OF.set.map((key) => ['SMEMBERS', key]),
    ...KEYS_OF.zset.map((key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES']),
    ...KEYS_OF.stream.map((key) => ['XRANGE', key, '-', '+']),
    ...KEYS_OF.stream.map((key) => ['XPENDING', key, 'readers']),
    ...MIXED_KEYS.flatMap((key) => [
      ...[
        ['GET', key],
        ['HGETALL', key],
        ['LRANGE', key, '0', '-1'],
        ['SMEMBERS', key],
      ],
      ...[
        ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
        ['XRANGE', key, '-', '+'],
      ],
    ]),
    ...['s1', 's2', ...MIXED_KEYS].map((key) => ['PTTL', key]),
    ['DBSIZE'],
  ]
  const visit = (database: number): readonly Argv[] => [['SELECT', `${database}`], ...reads]
  const back: Argv = ['SELECT', `${home}`]
  return { commands: [...visit(home), ...visit(second), back], isTransaction: true }
}

export function mayWrite({ commands }: DataRequest): boolean {
  return commands.some((argv) => rowOf(nameOf(argv)).kind === 'write')
}

/**
 * Every state to which the request may lead if the client was told this. Undefined: it was told
 * nothing, and nobody knows.
 */
export function applyRequest(
  holdings: Holdings,
  { commands, isTransaction }: DataRequest,
  at: CarriedOut,
  told: Told | undefined,
): readonly Holdings[] {
  const answers = told === undefined || !isTransaction ? [told] : told
  if (!Array.isArray(answers)) return []
  if (told !== undefined && answers.length !== commands.length) return []
  let states: readonly Holdings[] = [holdings]
  for (const [place, argv] of commands.entries()) {
    const answer = answers[place] as Told | undefined
    states = states.flatMap((state) => {
      const outcomes = applyCommand(state, argv, at)
      const fitting = outcomes.filter(
        ({ expected }) => answer === undefined || isExpected(expected, answer),
      )
      return fitting.map((outcome) => outcome.holdings)
    })
    if (states.length === 0) return states
  }
  return states
}

function applyCommand(holdings: Holdings, argv: Argv, at: CarriedOut): readonly Outcome[] {
  const name = nameOf(argv)
  const args = argv.slice(name.split(' ').length)
  const row = rowOf(name)
  const keys = row.keys?.(args) ?? args.slice(0, 1)
  const states = passTime(holdings, at, keys)
  const outcomes = states.flatMap((state) => row.apply({ holdings: state, args, at }))
  return outcomes.map((outcome) => ({
    holdings: outcome.holdings,
    expected: comparing(argv, outcome.expected),
  }))
}

/** Whether a client that was told this was told what it must be told. */
export function isExpected(expected: Expected, told: Told): boolean {
  return typeof expected === 'function' ? expected(told) : isSameTold(expected, told)
}

/** Where order means nothing, both are put into one. */
function comparing(argv: Argv, expected: Expected): Expected {
  const { unordered } = rowOf(nameOf(argv))
  if (unordered === undefined || typeof expected === 'function' || isToldError(expected)) {
    return expected
  }
  const wanted = inOrder(expected, unordered)
  return (told) => inOrder(told, unordered) === wanted
}

function inOrder(told: Told, unordered: 'items' | 'pairs'): string {
  if (!Array.isArray(told)) return JSON.stringify(told)
  const items = told as readonly Told[]
  if (unordered === 'items') return JSON.stringify([...items].sort())
  const pairs = items.flatMap((item, at) => (at % 2 === 0 ? [[item, items[at + 1]]] : []))
  return JSON.stringify(pairs.sort())
}

function nameOf([first = '', second = '']: Argv): string {
  return first in COMMANDS ? first : `${first} ${second}`
}

function rowOf(name: string): CommandRow {
  const row = COMMANDS[name]
  assert(row !== undefined, `${name} is a command of the workload`)
  return row
}

/**
 * What a client sends at a time: one command, or a transaction. Drawn from the tables of commands,
 * applied to holdings, and compared with what the client was told.
 */
import { assert } from '../../base/assert.ts'
import { ALONE } from './alone.ts'
import type { CommandRow, CommandRows, Drawing, Expected, Outcome } from './command-row.ts'
import { HASHES } from './hashes.ts'
import { type CarriedOut, type Holdings, passTime } from './holdings.ts'
import { KEYSPACE } from './keyspace.ts'
import { LISTS } from './lists.ts'
import { NEWS } from './news.ts'
import { SCANS } from './scans.ts'
import { SETS } from './sets.ts'
import { SORTED_SETS } from './sorted-sets.ts'
import { STREAMS } from './streams.ts'
import { STRINGS } from './strings.ts'
import { codeOf, isSameTold, isToldError, type Told } from './told.ts'
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

const COMMANDS: CommandRows = Object.assign({}, ...Object.values(FAMILIES), SCANS, NEWS, ALONE)

export type Argv = readonly string[]

/** One command, or several that take effect together: those between MULTI and EXEC, or those of a script. */
export interface DataRequest {
  readonly commands: readonly Argv[]
  readonly form: 'command' | 'transaction' | 'script'
  /** Of WATCH, and of the transaction that runs only if the key is as it was then. */
  readonly watched?: WatchedKey
  /** Of a page of a scan: a text that all pages of this scan have, and no others. */
  readonly scan?: string
}

export interface WatchedKey {
  readonly key: string
  /** A text that no other watch has. */
  readonly token: string
}

const TRANSACTION_ONE_IN = 8
/** Among requests with several commands, one in this many is a script. */
const SCRIPT_ONE_IN = 3
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
    return { commands: [drawCommand(drawing, 'command')], form: 'command' }
  }
  const form = rng.chance(1, SCRIPT_ONE_IN) ? 'script' : 'transaction'
  const count = 2 + rng.below(TRANSACTION_MAX - 1)
  const commands = Array.from({ length: count }, (_, at) =>
    drawCommand({ ...drawing, unique: drawing.unique + at }, form),
  )
  return { commands, form }
}

/**
 * Does what it is given, command by command, each after the number of its words. Errors of commands are
 * answers; where the node refuses, it refuses all of it.
 */
const SCRIPT = `
local answers, at = {}, 1
while at <= #ARGV do
  local words = tonumber(ARGV[at])
  local answer = redis.pcall(unpack(ARGV, at + 1, at + words))
  local text = type(answer) == 'table' and answer.err
  if text and (text:find('^READONLY') or text:find('^NOREPLICAS') or text:find('^NOSYNCREPLICAS')
      or text:find('^MISCONF')) then
    return answer
  end
  answers[#answers + 1] = answer
  at = at + words + 1
end
return answers`

/** What is sent for it. The reply to the last command is the answer. */
export function sentFor({ commands, form }: DataRequest): readonly Argv[] {
  if (form === 'command') return commands
  if (form === 'transaction') return [['MULTI'], ...commands, ['EXEC']]
  return [['EVAL', SCRIPT, '0', ...commands.flatMap((argv) => [`${argv.length}`, ...argv])]]
}

/** Numbers that requests use: one for each command a transaction may have. */
export const NUMBERS_PER_REQUEST = TRANSACTION_MAX

function drawCommand(drawing: Drawing, form: DataRequest['form']): Argv {
  const name = drawing.rng.pick(LOTS)
  const row = rowOf(name)
  const isOutOfPlace = row.isBlocking === true && form === 'script'
  if (isOutOfPlace || (row.isChance === true && !drawing.isAlone)) return drawCommand(drawing, form)
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
  return { commands: [...visit(home), ...visit(second), back], form: 'transaction' }
}

/** What changes most in both databases, read in one transaction: enough to see a half of something. */
export function glanceAt(home: number, second: number): DataRequest {
  const reads: readonly Argv[] = [
    ...[...KEYS_OF.number, ...KEYS_OF.string].map((key) => ['GET', key]),
    ...['h1', 'h2'].map((key) => ['HGETALL', key]),
    ...['l1', 'l2'].map((key) => ['LRANGE', key, '0', '-1']),
    ...['e1', 'e2'].map((key) => ['SMEMBERS', key]),
    ['PTTL', 's1'],
  ]
  const visit = (database: number): readonly Argv[] => [['SELECT', `${database}`], ...reads]
  return { commands: [...visit(home), ...visit(second)], form: 'transaction' }
}

export function mayWrite({ commands }: DataRequest): boolean {
  return commands.some((argv) => parsed(argv).row.kind === 'write')
}

/**
 * Every state to which the request may lead if the client was told this. Undefined: it was told
 * nothing, and nobody knows. More than `statesMax` states come back where there would be more: then they are a part,
 * and of any command on the way.
 */
export function applyRequest(
  holdings: Holdings,
  { commands, form }: DataRequest,
  at: CarriedOut,
  told: Told | undefined,
  statesMax = Number.POSITIVE_INFINITY,
): readonly Holdings[] {
  const answers = told === undefined || form === 'command' ? [told] : told
  if (!Array.isArray(answers)) return []
  if (told !== undefined && answers.length !== commands.length) return []
  let states: readonly Holdings[] = [holdings]
  for (const [place, argv] of commands.entries()) {
    const answer = answers[place] as Told | undefined
    // In a script, only commands that need memory are refused.
    if (form === 'script' && isOutOfMemory(answer)) continue
    const done: Holdings[] = []
    for (const state of states) {
      // Two members taken at random from a set of hundreds: a hundred thousand states.
      if (done.length > statesMax) return done
      for (const outcome of fittingOutcomes(state, argv, at, answer)) done.push(outcome.holdings)
    }
    // Nobody heard which ones, if there was no answer.
    const isSilent = told === undefined && form === 'script' && at.mayBeFull
    states = isSilent && parsed(argv).row.kind === 'write' ? [...states, ...done] : done
    if (states.length === 0) return states
  }
  return states
}

function isOutOfMemory(answer: Told | undefined): boolean {
  return isToldError(answer) && codeOf(answer) === 'OOM'
}

/** The outcomes of the command that fit its answer; undefined: the answer is unknown. */
function fittingOutcomes(
  holdings: Holdings,
  argv: Argv,
  at: CarriedOut,
  answer: Told | undefined,
): readonly Pick<Outcome, 'holdings'>[] {
  const { row, args, keys } = parsed(argv)
  // Without an answer we do not know either which keys were still alive.
  if (answer === undefined && row.kind === 'read' && keys.length > 0) return [{ holdings }]
  const outcomes = passTime(holdings, at, keys).flatMap((state) =>
    row.apply({ holdings: state, args, at }),
  )
  if (answer === undefined) return outcomes
  return outcomes.filter(({ expected }) => isExpected(expected, answer, row.unordered))
}

/** The keys that commands may change, in either database; undefined: any. */
export function keysChangedBy(commands: readonly Argv[]): ReadonlySet<string> | undefined {
  const changed = new Set<string>()
  for (const argv of commands) {
    const { row, keys } = parsed(argv)
    if (row.kind !== 'write') continue
    if (keys.length === 0) return undefined
    for (const key of keys) changed.add(key)
  }
  return changed
}

/**
 * Whether holdings that go with these answers can come of these by changes to some keys only: what
 * was told of all others must be right already. Meant for requests that only read.
 */
export function couldBecome(
  holdings: Holdings,
  { commands }: DataRequest,
  at: CarriedOut,
  told: Told | undefined,
  changed: ReadonlySet<string>,
): boolean {
  if (!Array.isArray(told)) return true
  let state = holdings
  for (const [place, argv] of commands.entries()) {
    const { keys } = parsed(argv)
    const answer = told[place] as Told | undefined
    if (keys.some((key) => changed.has(key))) continue
    // These commands ask about a whole database, for a count or a choice.
    if (keys.length === 0 && argv[0] !== 'SELECT') continue
    const fitting = fittingOutcomes(state, argv, at, answer)
    if (fitting[0] === undefined) return false
    state = { ...state, selected: fitting[0].holdings.selected }
  }
  return true
}

/** Whether a client that was told this was told what it must be told. */
function isExpected(expected: Expected, told: Told, unordered: CommandRow['unordered']): boolean {
  if (typeof expected === 'function') return expected(told)
  if (unordered === undefined || !isList(expected) || !isList(told)) {
    return isSameTold(expected, told)
  }
  return isSameBag(bagOf(expected, unordered), bagOf(told, unordered))
}

function isList(told: Told): told is readonly Told[] {
  return Array.isArray(told)
}

/** How often each item, or each pair, is there. */
function bagOf(items: readonly Told[], of: 'items' | 'pairs'): ReadonlyMap<string, number> {
  const bag = new Map<string, number>()
  const step = of === 'pairs' ? 2 : 1
  for (let at = 0; at < items.length; at += step) {
    const item = items.slice(at, at + step).join('\n')
    bag.set(item, (bag.get(item) ?? 0) + 1)
  }
  return bag
}

function isSameBag(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([item, count]) => b.get(item) === count)
}

interface ParsedCommand {
  readonly row: CommandRow
  readonly args: readonly string[]
  /** The keys that it looks at. */
  readonly keys: readonly string[]
}

/** A request is applied to hundreds of states; each of its commands is parsed once. */
const PARSED = new WeakMap<Argv, ParsedCommand>()

function parsed(argv: Argv): ParsedCommand {
  const known = PARSED.get(argv)
  if (known !== undefined) return known
  const [first = '', second = ''] = argv
  const isOneWord = first in COMMANDS
  const row = rowOf(isOneWord ? first : `${first} ${second}`)
  const args = argv.slice(isOneWord ? 1 : 2)
  const command = { row, args, keys: row.keys?.(args) ?? args.slice(0, 1) }
  PARSED.set(argv, command)
  return command
}

function rowOf(name: string): CommandRow {
  const row = COMMANDS[name]
  assert(row !== undefined, `${name} is a command of the workload`)
  return row
}

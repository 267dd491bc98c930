/**
 * sentinel.conf, as Redis reads and writes it, so that a service unit can swap the binary. Unlike
 * Redis we never write to it: what Redis has learnt and written there (known replicas and peers,
 * epochs, the id) is imported once, into the state file.
 *
 * The order of lines does not matter across classes: lines about the whole Sentinel come first,
 * then all `monitor` lines, then the other lines of groups.
 */
import { utf8Text } from '../base/utf8.ts'
import { GROUP_OPTION_ROWS } from '../core/group-options.ts'
import {
  type ConfLine,
  fatalOf,
  locationOfLine,
  numberAfter,
  oddWordHint,
  readConfLines,
  readOverrides,
  tooManyHint,
} from './conf-lines.ts'
import { type ConfOutside, NO_OUTSIDE } from './config-filesystem.ts'
import { WRONG_NUMBER } from './directive-words.ts'
import { firstFatal, type LineFault, MAX_FAULTS } from './fatal.ts'
import { inFileOrder, type Problem } from './problem.ts'
import { GLOBAL_DIRECTIVES, MONITOR } from './sentinel-directives.ts'
import {
  type Draft,
  EXTENSION,
  finishDraft,
  newDraft,
  type Objection,
  refusal,
} from './sentinel-draft.ts'
import type { ParsedSentinelFile } from './sentinel-file.ts'
import { confNames, GROUP_DIRECTIVES } from './sentinel-group-directives.ts'
import { meaningfulDirectives, serverDirective } from './server-directives.ts'
import { didYouMean, directiveHint } from './suggest.ts'
import { withValkeyState } from './valkey-state.ts'

/**
 * `text` is a byte string (latin1), `overrides` are ordinary text: `--port 26380`. `outside`
 * answers questions about the machine.
 */
export function parseSentinelConf(
  text: string,
  fileName: string,
  overrides: readonly string[] = [],
  outside: ConfOutside = NO_OUTSIDE,
): ParsedSentinelFile {
  const fromFile = readConfLines(text, fileName, outside)
  const fromArguments = readOverrides(overrides, numberAfter(text), outside, fromFile.folder)
  const draft = newDraft(outside)
  const faults: LineFault[] = []
  let errors = 0
  const lines = withValkeyState([...fromFile.lines, ...fromArguments.lines], outside)
  for (const line of inLoadOrder(lines)) {
    const fault = line.fault ?? apply(draft, line)
    if (fault !== undefined && !isAboutNoFile(line, fault)) faults.push(fault)
    if (fault?.problem.severity !== 'error') remember(draft, line)
    else if (++errors >= MAX_FAULTS) break
  }
  const problems = inFileOrder(faults.map(({ problem }) => problem))
  const fatal = firstFatal(faults)
  return fatal !== undefined
    ? { ok: false, problems, fatal }
    : { ok: true, value: finishDraft(draft, fileName), warnings: problems }
}

/** Whoever gives an option of ours on the command line has nothing in a file that redis-sentinel would refuse. */
function isAboutNoFile(line: ConfLine, { problem }: LineFault): boolean {
  return line.line === undefined && problem.code === EXTENSION.code
}

const CLASSES = 4

/** Sorts by class; within a class the order of the file is kept. */
function inLoadOrder(lines: readonly ConfLine[]): ConfLine[] {
  const byClass = Array.from({ length: CLASSES }, (): ConfLine[] => [])
  for (const line of lines) byClass[classOf(line)]?.push(line)
  return byClass.flat()
}

function classOf(line: ConfLine): number {
  if (line.directive !== 'sentinel') return 0
  const keyword = keywordOf(line)
  if (keyword === 'monitor') return 2
  return GLOBAL_DIRECTIVES.has(keyword) ? 1 : 3
}

function keywordOf(line: ConfLine): string {
  return line.args[0]?.toLowerCase() ?? ''
}

function apply(draft: Draft, line: ConfLine): LineFault | undefined {
  const objection = judge(draft, line)
  if (objection === undefined) return undefined
  return { problem: toProblem(line, objection), fatal: fatalOf(line, objection.message) }
}

function judge(draft: Draft, line: ConfLine): Objection | undefined {
  if (line.directive === 'sentinel') return applySentinel(draft, line)
  const directive = serverDirective(line.directive)
  if (directive !== undefined) return directive(draft, line.args)
  const hint = directiveHint(line.directive, meaningfulDirectives())
  return refusal('E_UNKNOWN', 'Bad directive or wrong number of arguments', hint)
}

function applySentinel(draft: Draft, line: ConfLine): Objection | undefined {
  const words = line.args.slice(1)
  const keyword = keywordOf(line)
  if (line.args.length === 0) return undefined
  if (keyword === 'monitor') return applyMonitor(draft, words)
  const global = GLOBAL_DIRECTIVES.get(keyword)
  if (global === undefined) return applyToGroup(draft, keyword, words)
  if (words.length !== global.words) return wrongCount('takes', [global.words])
  return global.apply(draft, words)
}

function applyMonitor(draft: Draft, words: readonly string[]): Objection | undefined {
  const [name = ''] = words
  const isRight = words.length === MONITOR.words
  const objection = isRight ? MONITOR.apply(draft, words) : wrongCount('takes', [MONITOR.words])
  if (objection?.severity === 'error' && !draft.groups.has(name)) draft.refusedGroups.add(name)
  return objection
}

function applyToGroup(
  draft: Draft,
  keyword: string,
  [name = '', ...words]: readonly string[],
): Objection | undefined {
  const directive = GROUP_DIRECTIVES.get(keyword)
  if (directive === undefined) return unrecognized(didYouMean(keyword, KEYWORDS))
  if (!directive.words.includes(words.length)) {
    return wrongCount('takes a group name and', directive.words)
  }
  const group = draft.groups.get(name)
  if (group !== undefined) return directive.apply(group, words, draft)
  if (draft.refusedGroups.has(name)) return undefined
  const hint = didYouMean(name, [...draft.groups.keys()])
  return refusal('E_UNKNOWN', 'No such master with specified name.', hint)
}

const KEYWORDS = ['monitor', ...GLOBAL_DIRECTIVES.keys(), ...GROUP_DIRECTIVES.keys()]

function wrongCount(takes: string, counts: readonly number[]): Objection {
  const isOne = counts.length === 1 && counts[0] === 1
  return unrecognized(isOne ? `${takes} ${ONE_WORD}` : `${takes} ${counts.join(' or ')} words`)
}

const ONE_WORD = '1 word'

function unrecognized(hint: string): Objection {
  return refusal('E_UNKNOWN', 'Unrecognized sentinel configuration statement.', hint)
}

function toProblem(line: ConfLine, objection: Objection): Problem {
  const { file, line: number, column } = line
  const isTooMany = objection.message === WRONG_NUMBER.message && line.args.length > 1
  const isOneInMany = objection.hint.endsWith(ONE_WORD) && line.args.length > 2
  const about = isTooMany || isOneInMany ? tooManyHint(line) : oddWordHint(line)
  const hint = [objection.hint, about].filter(Boolean).join('; ')
  return { ...objection, hint, file, line: number, column, path: pathOf(line) }
}

/** The directive, and for `sentinel` lines the keyword and the group. */
function pathOf(line: ConfLine): string {
  if (line.directive !== 'sentinel') return line.directive
  const [, name] = line.args
  const keyword = keywordOf(line)
  const isAboutGroup = keyword === 'monitor' || GROUP_DIRECTIVES.has(keyword)
  const words = ['sentinel', keyword, isAboutGroup ? name : undefined].filter(Boolean)
  return utf8Text(words.join(' '))
}

/** Notes where an option is set, under its name in sentinel.yml. */
function remember(draft: Draft, line: ConfLine): void {
  const location = locationOfLine(line, pathOf(line))
  for (const option of optionsOf(line)) draft.locations.set(option, location)
}

function optionsOf(line: ConfLine): string[] {
  if (line.directive !== 'sentinel') return [YML_NAMES.get(line.directive) ?? line.directive]
  const keyword = keywordOf(line)
  const group = `groups.${line.args[1]}`
  if (keyword === 'monitor') return [group, `${group}.master`, `${group}.quorum`]
  if (!GROUP_DIRECTIVES.has(keyword)) return [keyword]
  return [`${group}.${YML_NAMES.get(keyword) ?? keyword}`]
}

/** Where the two files differ in more than their form. */
export const YML_NAMES: ReadonlyMap<string, string> = new Map<string, string>([
  ['dir', 'state-dir'],
  ['logfile', 'log-file'],
  ['loglevel', 'log-level'],
  ['pidfile', 'pid-file'],
  ['aclfile', 'acl-file'],
  ...GROUP_OPTION_ROWS.flatMap(([, row]) => confNames(row).map((name) => [name, row.yml] as const)),
])

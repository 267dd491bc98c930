/**
 * redis.conf and command-line overrides of a data node: lines into settings. Which directives there are
 * and what they may say is the data node's business, so the caller brings the check along.
 */
import {
  type ConfLine,
  fatalOf,
  lineError,
  numberAfter,
  readConfLines,
  readOverrides,
} from './conf-lines.ts'
import { type ConfOutside, NO_OUTSIDE } from './conf-outside.ts'
import { type Fatal, firstFatal, type LineFault } from './fatal.ts'
import { inFileOrder, type Problem } from './problem.ts'
import { didYouMean } from './suggest.ts'

/**
 * The data node's opinion of one line, in file order: undefined when it is sound, else the reason in
 * Redis' words. Called once per line, so it may apply the line as well.
 */
export type DirectiveCheck = (name: string, args: readonly string[]) => string | undefined

export interface RedisConf {
  /**
   * Value by directive, in the order of the last line of each: applied in this order, the later of
   * `slaveof` and `replicaof` wins. The words of a line are joined by a blank.
   */
  readonly settings: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
  /** What Redis would have stopped at. */
  readonly fatal: Fatal | undefined
  /** Each directive once, in the order of the file. */
  readonly directives: readonly ConfLine[]
}

/** What the data node answers for a directive it does not know; gets a hint. */
export const UNKNOWN_DIRECTIVE = 'Bad directive or wrong number of arguments'

/** Each further line of these adds to the ones before it. */
const CUMULATIVE: ReadonlySet<string> = new Set(['save', 'client-output-buffer-limit'])

/**
 * `text` is a byte string (latin1), `overrides` ordinary text. `known` serves the hints only. Problems
 * of all lines are reported; the settings hold the sound ones.
 */
export function parseRedisConf(
  text: string,
  file: string,
  overrides: readonly string[],
  check: DirectiveCheck,
  known: readonly string[] = [],
  outside: ConfOutside = NO_OUTSIDE,
): RedisConf {
  const { lines } = readConfLines(text, file, outside)
  return judgeLines([...lines, ...readOverrides(overrides, numberAfter(text)).lines], check, known)
}

/** The same for lines that have been read already. */
export function judgeLines(
  lines: readonly ConfLine[],
  check: DirectiveCheck,
  known: readonly string[] = [],
): RedisConf {
  const settings = new Map<string, string>()
  const directives = new Map<string, ConfLine>()
  const faults: LineFault[] = []
  for (const line of lines) {
    const fault = line.fault ?? faultOf(line, check, known)
    if (fault !== undefined) {
      faults.push(fault)
      continue
    }
    put(settings, line)
    if (!directives.has(line.directive)) directives.set(line.directive, line)
  }
  const problems = inFileOrder(faults.map(({ problem }) => problem))
  return { settings, problems, fatal: firstFatal(faults), directives: [...directives.values()] }
}

function faultOf(
  line: ConfLine,
  check: DirectiveCheck,
  known: readonly string[],
): LineFault | undefined {
  const problem = problemOf(line, check, known)
  return problem && { problem, fatal: fatalOf(line, problem.message) }
}

function problemOf(
  line: ConfLine,
  check: DirectiveCheck,
  known: readonly string[],
): Problem | undefined {
  if (line.directive === 'sentinel') {
    const hint = 'this is a file for vedette sentinel'
    return lineError(line, 'E_UNKNOWN', 'sentinel directive while not in sentinel mode', hint)
  }
  const reason = check(line.directive, line.args)
  if (reason === undefined) return undefined
  if (reason !== UNKNOWN_DIRECTIVE) return lineError(line, 'E_VALUE', reason)
  return lineError(line, 'E_UNKNOWN', reason, didYouMean(line.directive, known))
}

function put(settings: Map<string, string>, line: ConfLine): void {
  const before = settings.get(line.directive)
  const value = line.args.join(' ')
  // `save ""` takes the earlier save lines back.
  const adds = CUMULATIVE.has(line.directive) && before !== undefined && value !== ''
  settings.delete(line.directive)
  settings.set(line.directive, adds ? `${before} ${value}`.trim() : value)
}

/**
 * redis.conf and command-line overrides of a data node: lines become settings. Which directives
 * exist and which values they take is the data node's business, so the caller brings the check
 * along.
 */
import {
  type ConfLine,
  fatalOf,
  lineError,
  numberAfter,
  oddWordHint,
  readConfLines,
  readOverrides,
  tooManyHint,
} from './conf-lines.ts'
import { type ConfOutside, NO_OUTSIDE } from './config-filesystem.ts'
import { type Fatal, firstFatal, type LineFault, MAX_FAULTS } from './fatal.ts'
import { inFileOrder, type Problem } from './problem.ts'
import { directiveHint } from './suggest.ts'

/**
 * What the data node says about one line: undefined if it is valid, else the reason in Redis'
 * words. Called once per line, in file order, so it may apply the line as well.
 */
export type DirectiveCheck = (name: string, args: readonly string[]) => string | undefined

export interface RedisConf {
  /**
   * Values by directive, in the order of each directive's last line: applied in this order, the
   * later of `slaveof` and `replicaof` wins. The words of a line are joined by a blank.
   */
  readonly settings: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
  /** The error Redis would have stopped at. */
  readonly fatal: Fatal | undefined
  /** Each directive once, in the order of the file. */
  readonly directives: readonly ConfLine[]
}

const WRONG_NUMBER = 'wrong number of arguments'
/** The data node's answer for a directive it does not know; we add a hint. */
export const UNKNOWN_DIRECTIVE = 'Bad directive or wrong number of arguments'

/** Each further line of these directives adds to the previous ones. */
const CUMULATIVE: ReadonlySet<string> = new Set(['save', 'client-output-buffer-limit'])

/**
 * `text` is a byte string (latin1), `overrides` ordinary text; `known` is used for hints only.
 * Problems of all lines are reported; the settings contain the valid lines.
 */
export function parseRedisConf(
  text: string,
  file: string,
  overrides: readonly string[],
  check: DirectiveCheck,
  known: readonly string[] = [],
  outside: ConfOutside = NO_OUTSIDE,
): RedisConf {
  const { lines, folder } = readConfLines(text, file, outside)
  const given = readOverrides(overrides, numberAfter(text), outside, folder).lines
  return judgeLines([...lines, ...given], check, known)
}

/** The same for lines that are already split. */
export function judgeLines(
  lines: readonly ConfLine[],
  check: DirectiveCheck,
  known: readonly string[],
): RedisConf {
  const settings = new Map<string, string>()
  const directives = new Map<string, ConfLine>()
  const faults: LineFault[] = []
  for (const line of lines) {
    if (faults.length >= MAX_FAULTS) break
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
  if (reason !== UNKNOWN_DIRECTIVE) {
    const isTooMany = reason === WRONG_NUMBER && line.args.length > 1
    return lineError(line, 'E_VALUE', reason, isTooMany ? tooManyHint(line) : oddWordHint(line))
  }
  const hint = directiveHint(line.directive, known)
  return lineError(line, 'E_UNKNOWN', reason, hint)
}

function put(settings: Map<string, string>, line: ConfLine): void {
  const before = settings.get(line.directive)
  const value = line.args.join(' ')
  // `save ""` takes back the save lines before it, a bare `save` does not.
  if (line.args.length === 0 && before !== undefined) return
  const adds = CUMULATIVE.has(line.directive) && before !== undefined && value !== ''
  settings.delete(line.directive)
  settings.set(line.directive, adds ? `${before} ${value}`.trim() : value)
}

/**
 * Lines of a redis.conf or sentinel.conf that have no effect, because the same file says otherwise further down. Redis takes the last
 * one and says nothing. What an included file sets and the file itself sets again is meant so.
 */
import { type ConfLine, lineNotice } from './conf-lines.ts'
import type { Problem } from './problem.ts'

/** Each line of these adds something, or is refused where it stands twice. */
const ADDING: ReadonlySet<string> = new Set([
  ...['include', 'loadmodule', 'rename-command', 'save', 'user'],
  ...['monitor', 'known-replica', 'known-slave', 'known-sentinel'],
])

export function overriddenLines(lines: readonly ConfLine[]): readonly Problem[] {
  const single = lines.filter((line) => line.fault === undefined && !isAdding(line))
  const last = new Map(single.map((line) => [subjectOf(line), line]))
  return single.flatMap((line) => {
    const after = last.get(subjectOf(line)) ?? line
    return isSame(line, after) ? [] : [overridden(line, after)]
  })
}

function isAdding(line: ConfLine): boolean {
  return ADDING.has(wordsOf(line)[0] ?? '')
}

/** The file, and what is set in it. */
function subjectOf(line: ConfLine): string {
  return [line.file, line.directive, ...wordsOf(line)].join('\0')
}

/** The directive, and of what it is set. Of `sentinel`, those of a group have its name and a value. */
function wordsOf({ directive, args }: ConfLine): readonly string[] {
  const [first = '', second = ''] = args
  if (directive === 'client-output-buffer-limit') return [directive, first.toLowerCase()]
  if (directive !== 'sentinel') return [directive]
  return args.length > 2 ? [first.toLowerCase(), second] : [first.toLowerCase()]
}

function isSame(one: ConfLine, other: ConfLine): boolean {
  return one === other || one.args.join('\0') === other.args.join('\0')
}

function overridden(line: ConfLine, { line: at }: ConfLine): Problem {
  const [directive = '', ...of] = wordsOf(line)
  const path = [...(line.directive === 'sentinel' ? ['sentinel'] : []), directive, ...of].join(' ')
  const notice = lineNotice(line, `has no effect: line ${at} sets it again`)
  return { ...notice, code: 'W_NO_EFFECT', path, hint: 'remove one of the two' }
}

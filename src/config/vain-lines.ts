/**
 * Lines of a redis.conf that have no effect on a data node, told so that they are read: one by one where
 * somebody has chosen a value, with what does not happen; all in one line where the value is Redis' own
 * default, as in the file that comes with a distribution.
 */
import { type ConfLine, lineNotice } from './conf-lines.ts'
import type { Problem } from './problem.ts'
import { hasNoEffect } from './server-without-effect.ts'

/** `isUsual`: whether a directive has the value it would have without the file. */
export function vainLines(
  lines: readonly ConfLine[],
  isUsual: (directive: string) => boolean,
): readonly Problem[] {
  const vain = lines.filter(({ directive }) => hasNoEffect(directive))
  const chosen = vain.filter(({ directive }) => !isUsual(directive))
  const usual = vain.filter(({ directive }) => isUsual(directive))
  return [
    ...chosen.map((line) => lineNotice(line, `has no effect on this data node${why(line)}`)),
    ...together(usual),
  ]
}

function together(lines: readonly ConfLine[]): readonly Problem[] {
  const [first] = lines
  if (first === undefined) return []
  const names = [...new Set(lines.map(({ directive }) => directive))].join(', ')
  const message = `directives that stand at their defaults and have no effect on this data node: ${names}`
  return [{ ...lineNotice(first, message), line: undefined, column: undefined, path: '' }]
}

function why({ directive }: ConfLine): string {
  const found = REASONS.find(([pattern]) => pattern.test(directive))
  return found === undefined ? '' : `: ${found[1]}`
}

/** Of those whose absence somebody would notice too late. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(maxmemory|replica-ignore-maxmemory)/, 'no key is evicted, and no write refused for memory'],
  [/^notify-keyspace-events$/, 'no keyspace notifications are sent'],
  [/^slowlog-/, 'no command is measured, so SLOWLOG is empty'],
  [/^latency-/, 'no command is measured, so LATENCY is empty'],
  [/^unixsocket/, 'it listens on TCP only'],
  [/^syslog-/, 'the log goes to logfile or stdout'],
  [/^cluster-/, 'it is no node of a cluster'],
  [/^io-threads/, 'one thread does everything'],
  [/^repl-diskless-load$/, 'a copy is always taken beside the old data'],
  [/^tracking-table-max-keys$/, 'CLIENT TRACKING is not offered'],
  [/^oom-score-adj|^disable-thp$|cpulist$/, 'set it for the service'],
]

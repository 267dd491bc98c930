/**
 * Lines of a redis.conf that have no effect on a data node, reported so that operators read them:
 * one by one for a value that the operator chose, with what does not happen; all in one line for
 * values that are Redis' own defaults, as in the file that comes with a distribution.
 */
import { ignoredBecause } from '../server/settings/settings.ts'
import { type ConfLine, lineNotice } from './conf-lines.ts'
import type { Problem } from './problem.ts'

/** `isUsual`: whether the directive has the value that it would have without the file. */
export function ignoredLines(
  lines: readonly ConfLine[],
  isUsual: (directive: string) => boolean,
): readonly Problem[] {
  const ignored = lines.filter(({ directive }) => ignoredBecause(directive) !== undefined)
  const chosen = ignored.filter(({ directive }) => !isUsual(directive))
  const usual = ignored.filter(({ directive }) => isUsual(directive))
  return [...chosen.map(onItsOwn), ...together(usual)]
}

function onItsOwn(line: ConfLine): Problem {
  const why = ignoredBecause(line.directive)
  return lineNotice(line, `has no effect on this data node${why ? `: ${why}` : ''}`)
}

function together(lines: readonly ConfLine[]): readonly Problem[] {
  const [first] = lines
  if (first === undefined) return []
  const names = [...new Set(lines.map(({ directive }) => directive))].join(', ')
  const message = `directives that stand at their defaults and have no effect on this data node: ${names}`
  return [{ ...lineNotice(first, message), line: undefined, column: undefined, path: '' }]
}

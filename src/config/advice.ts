/** How advice about a Sentinel's file is told: what it is about, and where in the file that stands. */
import type { GroupConfig } from '../core/config.ts'
import { GROUP_OPTIONS, type GroupOptionKey } from '../core/group-options.ts'
import type { Problem, ProblemCode } from './problem.ts'
import { locationOf, type SentinelFile } from './sentinel-file.ts'

/** Where a problem is, in the words of sentinel.yml. */
export function pathOf({ name }: GroupConfig, key: GroupOptionKey): string {
  return `groups.${name}.${GROUP_OPTIONS[key].yml}`
}

export function warn(
  file: SentinelFile,
  code: ProblemCode,
  option: string,
  message: string,
  hint: string,
): Problem {
  const location = locationOf(file, option)
  return { severity: 'warning', code, file: file.name, ...location, message, hint }
}

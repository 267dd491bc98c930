/** `vedette check`: all that is wrong with a configuration file, and what is unwise about it. */
import { advise } from '../config/check.ts'
import { lineNotice } from '../config/conf-lines.ts'
import type { Problem } from '../config/problem.ts'
import { parseRedisConf } from '../config/redis-conf.ts'
import { hasNoEffect } from '../config/server-without-effect.ts'
import { nodeOutside } from '../io/conf-outside.ts'
import { Settings } from '../server/settings/settings.ts'
import { readTextFile } from './files.ts'
import { nodeDirectives } from './node-directives.ts'
import { UserLines } from './node-users.ts'
import { EXIT_CONFIG, reportProblems, say } from './report.ts'
import { readSentinelFile } from './sentinel-config.ts'

export interface CheckOptions {
  readonly json?: true
}

/** Resolves to the exit status: 0 when it can be used, warnings or not. */
export async function runCheck(path: string, options: CheckOptions): Promise<number> {
  const problems = isSentinelFile(path) ? checkSentinelFile(path) : checkRedisConf(path)
  if (options.json) {
    process.stdout.write(`${JSON.stringify(problems, null, 2)}\n`)
  } else {
    reportProblems(problems)
    say(verdict(path, problems))
  }
  return count(problems, 'error') > 0 ? EXIT_CONFIG : 0
}

/** By its name, or by a line that only a Sentinel's file has. */
function isSentinelFile(path: string): boolean {
  if (/\.ya?ml$/i.test(path)) return true
  return /^\s*sentinel\s/im.test(readTextFile(path, 'latin1')) || /sentinel[^/\\]*$/i.test(path)
}

function checkSentinelFile(path: string): readonly Problem[] {
  const parsed = readSentinelFile({ path, overrides: [] })
  return parsed.ok ? [...parsed.warnings, ...advise(parsed.value)] : parsed.problems
}

function checkRedisConf(path: string): readonly Problem[] {
  const settings = new Settings()
  const outside = nodeOutside(process.cwd())
  const load = nodeDirectives(settings, new UserLines(), outside)
  const known = settings.match('*').map(([name]) => name)
  const text = readTextFile(path, 'latin1')
  const { problems, directives } = parseRedisConf(text, path, [], load, known, outside)
  const vain = directives.filter(({ directive }) => hasNoEffect(directive))
  return [...problems, ...vain.map((line) => lineNotice(line, 'has no effect on this data node'))]
}

function verdict(path: string, problems: readonly Problem[]): string {
  const errors = count(problems, 'error')
  const warnings = count(problems, 'warning')
  if (errors === 0 && warnings === 0) return `${path}: no problems`
  return `${path}: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`
}

function count(problems: readonly Problem[], severity: Problem['severity']): number {
  return problems.filter((problem) => problem.severity === severity).length
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

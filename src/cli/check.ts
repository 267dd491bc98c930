/** `vedette check`: all that is wrong with a configuration file, and what is unwise about it. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { utf8Text } from '../base/utf8.ts'
import { advise } from '../config/check.ts'
import { adviseNode } from '../config/check-node.ts'
import type { Problem } from '../config/problem.ts'
import { parseRedisConf } from '../config/redis-conf.ts'
import { vainLines } from '../config/vain-lines.ts'
import { nodeOutside } from '../io/conf-outside.ts'
import { Settings } from '../server/settings/settings.ts'
import { readTextFile } from './files.ts'
import { isUsual, nodeDirectives } from './node-directives.ts'
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
  const users = new UserLines()
  const load = nodeDirectives(settings, users, outside)
  const known = settings.match('*').map(([name]) => name)
  const text = readTextFile(path, 'latin1')
  const { problems, directives } = parseRedisConf(text, path, [], load, known, outside)
  const advice = adviseNode({
    file: path,
    lines: directives,
    settings,
    users: users.lines,
    isThere: (name) => existsSync(resolve(utf8Text(settings.text('dir')), utf8Text(name))),
  })
  return [...problems, ...advice, ...vainLines(directives, isUsual(settings))]
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

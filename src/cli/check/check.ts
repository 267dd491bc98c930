/** `vedette check`: all that is wrong with a configuration file, and what is unwise about it. */
import { countOf } from '../../base/count-of.ts'
import type { Problem } from '../../config/problem.ts'
import { printJsonText } from '../json-answer.ts'
import { EXIT_CONFIG, reportProblems, say } from '../report.ts'
import { checkFile } from './check-file.ts'
import { settingsInForce, settingsText } from './settings-in-force.ts'

export interface CheckOptions {
  readonly json?: true
  /** The file is for another machine: nothing it names is looked for here. */
  readonly elsewhere?: true
  /** Every node and Sentinel is asked as well. */
  readonly deep?: true
  /** Every option of every group is shown, with where it comes from. */
  readonly settings?: true
  readonly timeout?: number
  readonly user?: string
  readonly pass?: string
}

/** Resolves to the exit status: 0 if the file can be used, with or without warnings. */
export async function runCheck(path: string, options: CheckOptions): Promise<number> {
  if (options.deep === true) return await runDeep(path, options)
  const idle = (['timeout', 'user', 'pass'] as const).find((key) => options[key] !== undefined)
  if (idle !== undefined) return refuseIdle(idle)
  const { problems, sentinel, node } = await checkFile(path, options.elsewhere === true)
  if (options.settings === true && node !== undefined) return refuseSettings()
  const settings = sentinel === undefined ? {} : settingsInForce(sentinel)
  if (options.json) {
    const said = options.settings === true ? { problems, settings } : problems
    printJsonText(`${JSON.stringify(said, null, 2)}\n`)
  } else {
    if (options.settings === true) process.stdout.write(settingsText(settings))
    reportProblems(problems)
    say(verdict(path, problems))
  }
  return count(problems, 'error') > 0 ? EXIT_CONFIG : 0
}

const DEEP_MS = 10_000

/** Nobody is asked, so it would have no effect. */
function refuseIdle(option: string): number {
  say(`vedette: --${option} is only for --deep, which asks nodes and Sentinels`)
  say('  add --deep, or leave it out')
  return EXIT_CONFIG
}

function refuseSettings(): number {
  say('vedette: --settings shows the options of groups, which a redis.conf does not have')
  say('  use CONFIG GET * for the settings of a data node')
  return EXIT_CONFIG
}

async function runDeep(path: string, options: CheckOptions): Promise<number> {
  if (options.elsewhere === true) {
    say('vedette: --deep asks from this machine, with its certificates')
    say('  omit --elsewhere, or run the check on the machine of the configuration')
    return EXIT_CONFIG
  }
  const { checkDeep } = await import('./deep/deep.ts')
  const { deepJson, deepText, exitStatusOf } = await import('./deep/deep-text.ts')
  const report = await checkDeep(path, await checkFile(path, false), {
    ...options,
    timeout: options.timeout ?? DEEP_MS,
  })
  if (options.json) printJsonText(`${deepJson(report)}\n`)
  else process.stdout.write(deepText(report))
  return exitStatusOf(report)
}

function verdict(path: string, problems: readonly Problem[]): string {
  const errors = count(problems, 'error')
  const warnings = count(problems, 'warning')
  if (errors === 0 && warnings === 0) return `${path}: no problems`
  return `${path}: ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`
}

function count(problems: readonly Problem[], severity: Problem['severity']): number {
  return problems.filter((problem) => problem.severity === severity).length
}

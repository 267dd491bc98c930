/**
 * `vedette up`: the demonstration cluster, each member a process of its own, watched as a client
 * would. The processes start before the modules are loaded that only the watching needs.
 */
import { EXIT_CONFIG, reportProblems, say } from '../report.ts'
import { DemoCluster } from './cluster.ts'
import { GROUP } from './config-files.ts'
import { planLayout } from './layout.ts'
import { defaultRules, type GroupRules, groupMeant, rulesOf } from './rules.ts'

export interface UpOptions {
  readonly replicas: number
  readonly sentinels: number
  readonly port?: number
  readonly dir?: string
  readonly config?: string
  /** Milliseconds. */
  readonly downAfter?: number
  /** Opens the page in a browser. */
  readonly open?: true
}

/** Resolves to the exit status when the cluster has ended. */
export async function runUp(options: UpOptions): Promise<number> {
  const rules = await readRules(options)
  if (rules === undefined) return EXIT_CONFIG
  const layout = await planLayout(options.replicas + 1, options.sentinels, options.port)
  const cluster = new DemoCluster(layout, rules, options.dir)
  try {
    cluster.start()
    const { UpSession } = await import('./session.ts')
    return await new UpSession(cluster, rules, options.open === true).run()
  } finally {
    await cluster.stop()
  }
}

/** Undefined: the file is wrong, and its problems have been shown. */
async function readRules(options: UpOptions): Promise<GroupRules | undefined> {
  const { config, sentinels, downAfter } = options
  const rules = config === undefined ? defaultRules(sentinels) : await readRulesFile(config)
  if (rules === undefined || downAfter === undefined) return rules
  return { ...rules, downAfterMs: downAfter }
}

async function readRulesFile(path: string): Promise<GroupRules | undefined> {
  const { readSentinelFile } = await import('../sentinel/sentinel-config.ts')
  const parsed = readSentinelFile({ path, overrides: [], elsewhere: true })
  reportProblems(parsed.ok ? parsed.warnings : parsed.problems)
  if (!parsed.ok) return undefined
  const { value: file } = parsed
  const group = groupMeant(file, GROUP)
  if (group === undefined) say(`${path}: the file monitors no group`)
  else if (file.core.groups.length > 1)
    say(`${path}: of its ${file.core.groups.length} groups the rules of ${group.name} are taken`)
  return rulesOf(file, GROUP)
}

/** The commands that tell what would happen, and change nothing: explain and plan. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { accessOptions, nodeLoginOptions } from './access-options.ts'
import { EXPLAIN_HELP, PLAN_HELP } from './help.ts'
import { collect, server } from './options.ts'

export function addForesight(program: Command): void {
  const explain = program.command('explain').argument('<group>', 'the group to ask about')
  nodeLoginOptions(accessOptions(explain))
    .description('show what would happen if the master died now, a host were lost or a link cut')
    .addOption(
      new Option(
        '--lose <host>',
        'suppose this host, or the process at host:port, is lost; may be repeated',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--cut <a,b>',
        'suppose the link between two hosts is cut; may be repeated',
      ).argParser(link),
    )
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (group: string, options) => {
      process.exitCode = await (await import('./explain/explain.ts')).runExplain(group, options)
    })
  addPlan(program)
}

function addPlan(program: Command): void {
  const plan = program
    .command('plan')
    .description('plan an upgrade, a switchover or a removal, step by step')
    .addHelpText('after', PLAN_HELP)
  planned(plan, 'switchover', 'move to another master without losing a write')
    .addOption(new Option('--to <host:port>', 'the replica to hand over to').argParser(server))
    .action((group: string, options) => run(group, { kind: 'switchover' }, options))
  planned(plan, 'upgrade', 'upgrade all nodes and Sentinels of a group, one at a time').action(
    (group: string, options) => run(group, { kind: 'upgrade' }, options),
  )
  planned(plan, 'remove-sentinel', 'remove a Sentinel from a group for good')
    .argument('<host:port>', 'its address, as the other Sentinels know it', server)
    .action((group: string, address: string, options) =>
      run(group, { kind: 'remove-sentinel', address }, options),
    )
}

function planned(plan: Command, name: string, description: string): Command {
  return nodeLoginOptions(
    accessOptions(plan.command(name).argument('<group>', 'the name of the group')),
  )
    .description(description)
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', PLAN_HELP)
}

type RunPlan = typeof import('./plan/plan.ts')['runPlan']

async function run(
  group: string,
  work: Parameters<RunPlan>[1],
  options: Parameters<RunPlan>[2],
): Promise<void> {
  process.exitCode = await (await import('./plan/plan.ts')).runPlan(group, work, options)
}

/** `a,b`: two hosts or processes; an option that may be given several times. */
function link(
  value: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const [a = '', b = '', more] = value.split(',').map((place) => place.trim())
  if (a !== '' && b !== '' && a !== b && more === undefined) return [...before, [a, b]]
  throw new InvalidArgumentError('expected two different hosts, such as 10.0.0.1,10.0.0.2')
}

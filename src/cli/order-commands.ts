/** The commands that give orders to all Sentinels of a group: pause, resume, forget, drain. */
import { type Command, Option } from 'commander'
import { accessOptions } from './access-options.ts'
import { DRAIN_HELP, FORGET_HELP, PAUSE_HELP, RESUME_HELP } from './help.ts'
import { duration, pauseSeconds, server } from './options.ts'

export function addOrders(program: Command): void {
  accessOptions(
    program.command('pause').argument('<group>', 'the group that no Sentinel may fail over'),
  )
    .description('keep all Sentinels from failing a group over for a time')
    .addOption(
      new Option('--for <time>', 'how long: 30m, 2h; at most a day')
        .argParser(pauseSeconds)
        .makeOptionMandatory(),
    )
    .option('--reason <text>', 'the reason, shown wherever the pause is shown')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', PAUSE_HELP)
    .action(async (group: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runPause(group, options)
    })
  accessOptions(program.command('resume').argument('<group>', 'the group whose pause should end'))
    .description('end a pause early')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', RESUME_HELP)
    .action(async (group: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runResume(group, options)
    })
  addForget(program)
  addDrain(program)
}

function addDrain(program: Command): void {
  accessOptions(program.command('drain'))
    .description('hand over before a node is stopped, in a preStop hook or ExecStop=')
    .addOption(
      new Option('--node <host:port>', 'the node that will be stopped')
        .default('127.0.0.1:6379')
        .argParser(server),
    )
    .option('--node-user <name>', 'the user to log in to the node as')
    .option(
      '--node-pass <password>',
      'its password; safer in the environment variable REDISCLI_AUTH',
    )
    .option('--json', 'print one JSON object, for scripts')
    .addOption(
      new Option('--timeout <time>', 'how long to wait').default(10_000, '10s').argParser(duration),
    )
    .addHelpText('after', DRAIN_HELP)
    .action(async (options) => {
      process.exitCode = await (await import('./drain/drain.ts')).runDrain(options)
    })
}

function addForget(program: Command): void {
  const command = program
    .command('forget')
    .argument('<group>', 'the group it belonged to')
    .argument('<host:port>', 'the address of the replica or Sentinel', server)
  accessOptions(command)
    .description('make all Sentinels forget a replica or Sentinel that is gone for good')
    .option('--here', 'forget it only on the Sentinel that is asked')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', FORGET_HELP)
    .action(async (group: string, address: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runForget(group, address, options)
    })
}

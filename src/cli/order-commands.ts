/** The commands that give orders to all Sentinels of a group: pause, resume, forget, drain. */
import { type Command, Option } from 'commander'
import { accessOptions } from './access-options.ts'
import { DRAIN_HELP, FORGET_HELP, PAUSE_HELP, RESUME_HELP } from './help.ts'
import { duration, pauseSeconds, server } from './options.ts'

export function addOrders(program: Command): void {
  accessOptions(program.command('pause').argument('<group>', 'that no Sentinel is to fail over'))
    .description('keep all Sentinels from failing a group over by themselves, for a time')
    .addOption(
      new Option('--for <time>', 'how long: 30m, 2h; a day at most')
        .argParser(pauseSeconds)
        .makeOptionMandatory(),
    )
    .option('--reason <text>', 'for those who find it paused')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', PAUSE_HELP)
    .action(async (group: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runPause(group, options)
    })
  accessOptions(program.command('resume').argument('<group>', 'whose pause is to end'))
    .description('let the Sentinels fail a group over by themselves again')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', RESUME_HELP)
    .action(async (group: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runResume(group, options)
    })
  addForget(program)
  addDrain(program)
}

function addDrain(program: Command): void {
  accessOptions(program.command('drain'))
    .description('have a master hand over before it is stopped, as a preStop hook or ExecStop=')
    .addOption(
      new Option('--node <host:port>', 'the node that is to be stopped')
        .default('127.0.0.1:6379')
        .argParser(server),
    )
    .option('--node-user <name>', 'the user to log in to the node as')
    .option('--node-pass <password>', 'its password; better in the variable REDISCLI_AUTH')
    .option('--json', 'one JSON object, for scripts')
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
    .argument('<group>', 'that it belonged to')
    .argument('<host:port>', 'where the replica or Sentinel was', server)
  accessOptions(command)
    .description('make all Sentinels forget a replica or a Sentinel that is gone for good')
    .option('--here', 'only the Sentinel that is asked')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', FORGET_HELP)
    .action(async (group: string, address: string, options) => {
      process.exitCode = await (await import('./orders.ts')).runForget(group, address, options)
    })
}

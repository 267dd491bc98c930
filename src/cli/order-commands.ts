/** The commands that give orders to all Sentinels of a group: pause, resume, forget. */
import { type Command, Option } from 'commander'
import { accessOptions } from './access-options.ts'
import { FORGET_HELP, PAUSE_HELP, RESUME_HELP } from './help.ts'
import { pauseSeconds, server } from './options.ts'

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

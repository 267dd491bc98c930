/** The options of `vedette check`. What it does is loaded when it is asked for. */
import { type Command, Option } from 'commander'
import { CHECK_HELP } from '../help.ts'
import { duration } from '../options.ts'

export function addCheck(program: Command): void {
  program
    .command('check')
    .argument('<file>', 'sentinel.yml, sentinel.conf or redis.conf')
    .description('say everything that is wrong with a configuration, or unwise about it')
    .option('--elsewhere', 'it is for another machine: look for nothing it names on this one')
    .option('--deep', 'ask every node and Sentinel as well, and try what a failover needs')
    .addOption(
      new Option('--timeout <time>', 'with --deep: how long all of it may take')
        .default(10_000, '10s')
        .argParser(duration),
    )
    .option('--user <name>', 'with --deep: who may read settings, if the configured users may not')
    .option('--pass <password>', 'its password; better in the variable REDISCLI_AUTH')
    .addOption(
      new Option(
        '--settings',
        'show every option of every group, and where it comes from',
      ).conflicts('deep'),
    )
    .option(
      '--json',
      'one JSON array of problems, for scripts; with --deep or --settings one object',
    )
    .addHelpText('after', CHECK_HELP)
    .action(async (file: string, options) => {
      process.exitCode = await (await import('./check.ts')).runCheck(file, options)
    })
}

/** The options of `vedette check`. What it does is loaded when it is asked for. */
import { type Command, Option } from 'commander'
import { CHECK_HELP } from '../help.ts'
import { duration } from '../options.ts'

export function addCheck(program: Command): void {
  program
    .command('check')
    .argument('<file>', 'a sentinel.yml, sentinel.conf or redis.conf')
    .description('check a configuration: report every error and every risk')
    .option('--elsewhere', 'the file is for another machine: do not look for what it names here')
    .option('--deep', 'also ask every node and Sentinel, and try what a failover needs')
    .addOption(
      new Option(
        '--timeout <time>',
        'with --deep: how long the whole check may take (default: 10s)',
      ).argParser(duration),
    )
    .option(
      '--user <name>',
      'with --deep: a user that may read settings, if the configured users may not',
    )
    .option('--pass <password>', 'its password; safer in the environment variable REDISCLI_AUTH')
    .addOption(
      new Option(
        '--settings',
        'show every option of every group and where it comes from',
      ).conflicts('deep'),
    )
    .option(
      '--json',
      'print a JSON array of problems, for scripts; with --deep or --settings an object',
    )
    .addHelpText('after', CHECK_HELP)
    .action(async (file: string, options) => {
      process.exitCode = await (await import('./check.ts')).runCheck(file, options)
    })
}

/** The options of the scoreboard. */
import { Command, Option } from 'commander'
import { positive } from '../../bench/support/options.mjs'

const DEFAULT_ROUNDS = 3
/** The subjects that people argue about, once each; other scenarios vary them, or take long. */
export const SELECTION = [
  ...['01-', '02-', '05-', '06-', '09-', '12-', '13-', '14-', '15-'],
  ...['16-', '17-', '21-', '23-', '24-', '28-', '29-', '36-'],
]

/** Parses the command line; ends the process on a mistake or after `--help`. */
export function readScoreboardOptions() {
  return new Command('scoreboard')
    .description('plays scenarios on real processes, with Vedette and with Redis in turns')
    .addOption(
      new Option('--rounds <n>', 'how often each scenario is played')
        .default(DEFAULT_ROUNDS)
        .argParser(positive),
    )
    .addOption(
      new Option('--jobs <n>', 'how many at a time; more than one blurs the milliseconds')
        .default(1)
        .argParser(positive),
    )
    .option('--only <words...>', 'only files with one of these words in their name', [])
    .option('--all', 'every file this machine can run, instead of a selection')
    .option('--json', 'print every sample as JSON instead of the table')
    .option('--no-docs', 'leave docs/scoreboard.md as it is')
    .parse()
    .opts()
}

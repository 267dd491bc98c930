/** What the scoreboard understands. */
import { Command, InvalidArgumentError, Option } from 'commander'

const DEFAULT_ROUNDS = 3

/** Reads the command line; ends the process on a mistake or after `--help`. */
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
    .option('--json', 'print every sample as JSON instead of the table')
    .option('--no-docs', 'leave docs/scoreboard.md as it is')
    .parse()
    .opts()
}

function positive(text) {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('must be a whole number above 0')
}

/** What every benchmark understands. */
import { Command, InvalidArgumentError, Option } from 'commander'

/** Reads the command line, with what `extend` adds; ends the process on a mistake or after `--help`. */
export function readOptions(name, description, defaultRounds, extend = (command) => command) {
  return extend(new Command(name))
    .description(description)
    .addOption(
      new Option('--rounds <n>', 'how often each measurement is taken')
        .default(defaultRounds)
        .argParser(positive),
    )
    .option('--json', 'print every sample as JSON instead of the table')
    .option('--no-docs', 'leave docs/benchmarks.md as it is')
    .parse()
    .opts()
}

/** For options that count something. */
export function positive(text) {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('must be a whole number above 0')
}

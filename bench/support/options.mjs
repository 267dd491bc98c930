/** The options of every benchmark. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { useBuild } from './programs.mjs'

/** Parses the command line, with what `extend` adds; ends the process on a mistake or after `--help`. */
export function readOptions(name, description, defaultRounds, extend = (command) => command) {
  const options = extend(new Command(name))
    .description(description)
    .addOption(
      new Option('--rounds <n>', 'how often each measurement is taken')
        .default(defaultRounds)
        .argParser(positive),
    )
    .option('--json', 'print every sample as JSON instead of the table')
    .option('--no-docs', 'leave docs/benchmarks.md as it is')
    .option('--dist <folder>', 'measure the programs of another build')
    .parse()
    .opts()
  if (options.dist !== undefined) useBuild(options.dist)
  return options
}

/** For options that are a count. */
export function positive(text) {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('must be a whole number above 0')
}

/**
 * For options that take some of `known`, separated by commas: returns a parser that keeps their
 * order.
 */
export function someOf(known) {
  return (text) => {
    const chosen = text.split(',').map((one) => one.trim())
    const strangers = chosen.filter((one) => !known.includes(one))
    if (strangers.length === 0) return known.filter((one) => chosen.includes(one))
    throw new InvalidArgumentError(`${strangers.join(', ')}: there are ${known.join(', ')}`)
  }
}

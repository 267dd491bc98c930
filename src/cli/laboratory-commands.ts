/** The commands of the laboratory: scenarios, random histories, and a configuration put through them. */
import { type Command, Option } from 'commander'
import type { FuzzProfile } from '../fuzz/draw/draw.ts'
import { FUZZ_HELP, SCENARIO_HELP, SIMULATE_HELP } from './help.ts'
import {
  collect,
  count,
  days,
  durationOrNone,
  minutes,
  noted,
  openSeeds,
  rate,
  seed,
  seeds,
  workers,
} from './options.ts'
import { ENGINES, GRACE_MS, SIDES } from './scenario/engines.ts'
import { DEFAULT_RATE, DEFAULT_SEEDS, LAYOUTS, PROFILE_NAMES } from './simulate/simulate-options.ts'

const SEEDS_TEXT = 'how many runs, with the seeds 1 to n, or a range of seeds a..b'

export function addScenario(program: Command): void {
  const scenario = program
    .command('scenario')
    .description('play failures against the production code, in virtual or real time')
  scenario
    .command('run')
    .argument('<files...>', 'scenario files')
    .addOption(
      new Option('--engine <name>', 'virtual time, real sockets, or real processes')
        .choices(ENGINES)
        .default('sim'),
    )
    .addOption(
      new Option('--against <side>', 'the programs that the process engine runs')
        .choices(SIDES)
        .default('vedette'),
    )
    .addOption(
      new Option(
        '--seed <text>',
        'the seed of all randomness: the same seed gives the same run',
      ).argParser(seed),
    )
    .addOption(new Option('--seeds <n>', SEEDS_TEXT).argParser(noted(seeds)))
    .addOption(
      new Option(
        '--jobs <n>',
        'number of runs at the same time; up to four for each core',
      ).argParser(workers),
    )
    .option('--report <folder>', 'write a web page for each run')
    .option(
      '--records <folder>',
      'keep the black boxes of real Sentinels, for vedette incident and vedette replay',
    )
    .option('--json', 'print one JSON object in a line for each run, for scripts')
    .option('--brief', 'leave out the timeline')
    .addOption(
      new Option(
        '--grace <time>',
        `extend every deadline by so much, on a busy machine, but no limit of an outage (default: ${usualGrace()})`,
      ).argParser(durationOrNone),
    )
    .description('run scenarios and print a verdict and a timeline')
    .addHelpText('after', SCENARIO_HELP)
    .action(async (files: string[], options) => {
      process.exitCode = await (await import('./scenario/scenario.ts')).runScenarios(files, options)
    })
}

function usualGrace(): string {
  return ENGINES.map((engine) => `${GRACE_MS[engine]} ms for ${engine}`).join(', ')
}

export function addFuzz(program: Command): void {
  program
    .command('fuzz')
    .description('play random clusters and faults, and look for what must never happen')
    .addOption(
      new Option('--seeds <n>', `${SEEDS_TEXT} (default: 1..100)`).argParser(noted(openSeeds)),
    )
    .addOption(
      new Option('--profile <name>', 'what may go wrong; see below')
        .choices([
          'faults',
          'noise',
          'stall',
          'liar',
          'long-life',
          'shared',
          'strict',
          'operators',
        ] satisfies FuzzProfile[])
        .default('faults'),
    )
    .addOption(
      new Option('--engine <name>', 'virtual time, real sockets, or real processes')
        .choices(ENGINES)
        .default('sim'),
    )
    .addOption(
      new Option(
        '--detection <mode>',
        'how Sentinels detect a dead master (default: as drawn; with noise: both)',
      ).choices(['ping', 'evidence', 'both']),
    )
    .addOption(new Option('--minutes <m>', 'stop after this many minutes').argParser(minutes))
    .addOption(
      new Option(
        '--jobs <n>',
        'number of runs at the same time (default: one per core, with tcp four)',
      ).argParser(workers),
    )
    .addOption(
      new Option(
        '--days <n>',
        'with --profile long-life: its length in days (default: 30)',
      ).argParser(days),
    )
    .option('--stop-at-first', 'stop at the first failure')
    .option('--guided', 'make new runs by changing runs that reached something new')
    .option('--coverage', 'show which code of the machines no run has reached')
    .option('--coverage-json <file>', 'write which run reached which code, for programs')
    .option('--out <folder>', 'the folder for scenarios that fail', './vedette-failures')
    .option('--no-shrink', 'write failing scenarios as drawn, without reducing them')
    .option('--json', 'print one JSON object in a line for each failure, and one for the summary')
    .option('--print', 'print the drawn scenarios instead of playing them')
    .addHelpText('after', FUZZ_HELP)
    .action(async (options) => {
      process.exitCode = await (await import('./fuzz/fuzz.ts')).runFuzz(options)
    })
}

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .argument('<config>', 'your sentinel.yml or sentinel.conf')
    .description('measure a configuration under hundreds of random failures')
    .addOption(
      new Option('--seeds <n>', 'the number of histories, or a range of seeds a..b')
        .default(DEFAULT_SEEDS, '200')
        .argParser(seeds),
    )
    .addOption(
      new Option('--profile <name>', 'the network between the machines')
        .choices(PROFILE_NAMES)
        .default('lan'),
    )
    .option(
      '--server <file>',
      'the redis.conf of the master; repeat it for the first replica, and so on',
      collect,
    )
    .option('--compare <other>', 'play the same histories with this configuration, too')
    .option(
      '--compare-server <file>',
      'the redis.conf to compare with; may be repeated, as --server',
      collect,
    )
    .option(
      '--compare-replication',
      'play the same histories async, with min-replicas-to-write, and strict',
    )
    .addOption(new Option('--sentinels <n>', 'number of Sentinels').argParser(workers))
    .addOption(new Option('--replicas <n>', 'number of replicas of each master').argParser(count))
    .addOption(
      new Option(
        '--layout <place>',
        "where Sentinels run: on the nodes' machines, or on the clients'",
      ).choices(LAYOUTS),
    )
    .addOption(
      new Option('--rate <n>', 'writes per second of each client')
        .default(DEFAULT_RATE)
        .argParser(rate),
    )
    .addOption(new Option('--seed <text>', 'play one history and show it in full').argParser(seed))
    .option('--write <file>', 'write that history as a scenario file')
    .option('--report <folder>', 'write that history as a web page')
    .addOption(
      new Option('--jobs <n>', 'number of runs at the same time (default: one per core)').argParser(
        workers,
      ),
    )
    .option('--json', 'print everything as one JSON object, for scripts')
    .addHelpText('after', SIMULATE_HELP)
    .action(async (config: string, options) => {
      process.exitCode = await (await import('./simulate/simulate.ts')).runSimulate(config, options)
    })
}

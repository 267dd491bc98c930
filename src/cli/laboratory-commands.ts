/** The commands of the laboratory: scenarios, random histories, and a configuration put through them. */
import { type Command, Option } from 'commander'
import type { FuzzProfile } from '../fuzz/draw/draw.ts'
import { FUZZ_HELP, SCENARIO_HELP, SIMULATE_HELP } from './help.ts'
import {
  collect,
  count,
  days,
  duration,
  minutes,
  openSeeds,
  rate,
  seedCount,
  seeds,
  workers,
} from './options.ts'
import { ENGINES, SIDES } from './scenario/engines.ts'
import { DEFAULT_RATE, DEFAULT_SEEDS, LAYOUTS, PROFILE_NAMES } from './simulate/simulate-options.ts'

export function addLaboratory(program: Command): void {
  addScenario(program)
  addFuzz(program)
  addSimulate(program)
}

function addScenario(program: Command): void {
  const scenario = program
    .command('scenario')
    .description('play failures against the real machines, on virtual time or real')
  scenario
    .command('run')
    .argument('<files...>', 'scenario files')
    .addOption(
      new Option('--engine <name>', 'virtual time, real sockets, or real processes')
        .choices(ENGINES)
        .default('sim'),
    )
    .addOption(
      new Option('--against <side>', 'whose programs the process engine runs')
        .choices(SIDES)
        .default('vedette'),
    )
    .option('--seed <text>', 'the seed of everything random: the same seed gives the same run')
    .addOption(new Option('--seeds <a..b>', 'one run for each of these seeds').argParser(seeds))
    .addOption(
      new Option('--jobs <n>', 'runs at the same time; four to a core are well').argParser(count),
    )
    .option('--report <folder>', 'write a page to look at in a browser for each run')
    .option('--json', 'one JSON object a line for each run, for scripts')
    .option('--brief', 'leave the course of events out')
    .addOption(
      new Option('--grace <time>', 'put deadlines off by so much (default: by the engine)')
        .argParser(duration)
        .hideHelp(),
    )
    .description('run scenarios and print a verdict and a timeline')
    .addHelpText('after', SCENARIO_HELP)
    .action(async (files: string[], options) => {
      process.exitCode = await (await import('./scenario/scenario.ts')).runScenarios(files, options)
    })
}

function addFuzz(program: Command): void {
  program
    .command('fuzz')
    .description('draw clusters and faults at random, and look for what must never happen')
    .addOption(
      new Option('--seeds <a..b>', 'one run for each of these seeds (default: 1..100)').argParser(
        openSeeds,
      ),
    )
    .addOption(
      new Option(
        '--profile <name>',
        'what may go wrong: anything, only what is no reason to act, or stops and one-way cuts',
      )
        .choices([
          'faults',
          'noise',
          'stall',
          'liar',
          'long-life',
          'shared',
          'strict',
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
        'how masters are found dead (default: as drawn; with noise: both)',
      ).choices(['ping', 'evidence', 'both']),
    )
    .addOption(new Option('--minutes <m>', 'end after so long').argParser(minutes))
    .addOption(
      new Option(
        '--jobs <n>',
        'runs at the same time (default: one per core, with tcp four)',
      ).argParser(workers),
    )
    .addOption(
      new Option('--days <n>', 'with --profile long-life: how long it is (default: 30)').argParser(
        days,
      ),
    )
    .option('--stop-at-first', 'end with the first failure')
    .option('--guided', 'prefer what is new: change the plans of runs that reached something new')
    .option('--coverage', 'tell what no run has reached of the machines')
    .option('--coverage-json <file>', 'write what each part was reached by, for programs')
    .option('--out <folder>', 'where failing scenarios are written', './vedette-failures')
    .option('--no-shrink', 'write failing scenarios as they were drawn')
    .option('--json', 'one JSON object a line for each failure, and one for the summary')
    .option('--print', 'show the drawn scenarios instead of playing them')
    .addHelpText('after', FUZZ_HELP)
    .action(async (options) => {
      process.exitCode = await (await import('./fuzz/fuzz.ts')).runFuzz(options)
    })
}

function addSimulate(program: Command): void {
  program
    .command('simulate')
    .argument('<config>', 'your sentinel.yml or sentinel.conf')
    .description('say what a configuration does under hundreds of random fault histories')
    .addOption(
      new Option('--seeds <n>', 'so many histories, or those of the seeds a..b')
        .default(DEFAULT_SEEDS, '200')
        .argParser(seedCount),
    )
    .addOption(
      new Option('--profile <name>', 'the network between the boxes')
        .choices(PROFILE_NAMES)
        .default('lan'),
    )
    .option('--server <file>', "the nodes' redis.conf; again: of the first replica, …", collect)
    .option('--compare <other>', 'play the same histories with this configuration too')
    .option('--compare-server <file>', 'with this redis.conf', collect)
    .addOption(new Option('--sentinels <n>', 'how many there are').argParser(workers))
    .addOption(new Option('--replicas <n>', 'of each master').argParser(count))
    .addOption(
      new Option('--layout <place>', "Sentinels on the nodes' boxes, or on the clients'").choices(
        LAYOUTS,
      ),
    )
    .addOption(
      new Option('--rate <n>', 'writes a second of each client')
        .default(DEFAULT_RATE)
        .argParser(rate),
    )
    .option('--seed <text>', 'play one history and show it in full')
    .option('--write <file>', 'write that history as a scenario file')
    .option('--report <folder>', 'write a page to look at in a browser for that history')
    .addOption(
      new Option('--jobs <n>', 'runs at the same time (default: one per core)').argParser(workers),
    )
    .option('--json', 'everything as one JSON object, for scripts')
    .addHelpText('after', SIMULATE_HELP)
    .action(async (config: string, options) => {
      process.exitCode = await (await import('./simulate/simulate.ts')).runSimulate(config, options)
    })
}

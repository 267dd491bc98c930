#!/usr/bin/env node
/**
 * The command line. Programs are loaded when they are asked for: a data node does not pay for the YAML
 * parser, nor a check for a client library.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { Command, CommanderError, Option } from 'commander'
import { ENGINES, SIDES } from './engines.ts'
import { MEMBERS_VARIABLE } from './environment.ts'
import { FUZZ_PROFILES } from './fuzz-options.ts'
import {
  CHECK_HELP,
  EXPORT_CONF_HELP,
  FAILOVER_HELP,
  FUZZ_HELP,
  LEDGER_REPLAY_HELP,
  LEDGER_SHOW_HELP,
  SCENARIO_HELP,
  SENTINEL_HELP,
  SERVER_HELP,
  SIMULATE_HELP,
  STATUS_HELP,
  UP_HELP,
} from './help.ts'
import {
  addresses,
  collect,
  count,
  duration,
  minutes,
  openSeeds,
  port,
  rate,
  seedCount,
  seeds,
  server,
  workers,
} from './options.ts'
import { splitArguments } from './redis-arguments.ts'
import { EXIT_CONFIG, reportFailure } from './report.ts'
import { DEFAULT_RATE, DEFAULT_SEEDS, LAYOUTS, PROFILE_NAMES } from './simulate-options.ts'

interface PackageFile {
  readonly version: string
}

function createProgram(): Command {
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  const program = new Command('vedette')
    .description('Keeps Redis-protocol masters alive: Sentinel, data node and partition laboratory')
    .version(version, '-v, --version')
    .showHelpAfterError('(--help tells how)')
    .exitOverride()
  addUp(program)
  addSentinel(program)
  addServer(program)
  addCheck(program)
  addExportConf(program)
  addStatus(program)
  addFailover(program)
  addScenario(program)
  addFuzz(program)
  addSimulate(program)
  addLedger(program)
  return program
}

function addUp(program: Command): void {
  program
    .command('up')
    .description('start a demonstration cluster: one master, its replicas, and Sentinels')
    .addOption(new Option('--replicas <n>', 'replicas of the master').default(2).argParser(count))
    .addOption(new Option('--sentinels <n>', 'Sentinels').default(3).argParser(count))
    .addOption(
      new Option('--port <p>', 'nodes on p, p+1, …, Sentinels on p+100, p+101, …').argParser(port),
    )
    .option('--dir <folder>', 'keep all files there; with the same --port it goes on later')
    .option('--config <file>', 'take the rules of the group from this sentinel.yml')
    .addOption(
      new Option('--down-after <time>', 'silence that counts as down: 1s, 500ms').argParser(
        duration,
      ),
    )
    .addHelpText('after', UP_HELP)
    .action(async (options) => exitWith(await (await import('./up.ts')).runUp(options)))
}

function addSentinel(program: Command): void {
  directives(program.command('sentinel'), '<file> [directives...]')
    .description('watch over masters and fail them over')
    .addHelpText('after', SENTINEL_HELP)
    .action(async (file: string, directives: string[]) => {
      const { path, overrides, stdin } = splitArguments([file, ...directives])
      const { runSentinel } = await import('./sentinel.ts')
      exitWith(await runSentinel({ path: path ?? '', overrides, stdin }))
    })
}

function addServer(program: Command): void {
  directives(program.command('server'), '[arguments...]')
    .description('run a data node that speaks the Redis protocol')
    .addHelpText('after', SERVER_HELP)
    .action(async (args: string[]) => {
      exitWith(await (await import('./server.ts')).runServer(splitArguments(args)))
    })
}

function addCheck(program: Command): void {
  program
    .command('check')
    .argument('<file>', 'sentinel.yml, sentinel.conf or redis.conf')
    .description('say everything that is wrong with a configuration, or unwise about it')
    .option('--json', 'one JSON array of problems, for scripts')
    .addHelpText('after', CHECK_HELP)
    .action(async (file: string, options) => {
      exitWith(await (await import('./check.ts')).runCheck(file, options))
    })
}

function addStatus(program: Command): void {
  accessOptions(program.command('status').argument('[group]', 'only this group'))
    .description('what all Sentinels think, side by side, and what is wrong')
    .option('--watch', 'again and again until Ctrl-C')
    .option('--json', 'one JSON object a round, for scripts')
    .addHelpText('after', STATUS_HELP)
    .action(async (group: string | undefined, options) => {
      exitWith(await (await import('./status.ts')).runStatus(group, options))
    })
}

function addFailover(program: Command): void {
  accessOptions(program.command('failover').argument('<group>', 'whose master is to change'))
    .description('promote a replica now')
    .option('--coordinated', 'let the master hand over itself, so that no write is lost')
    .option('--wait', 'until every Sentinel names the new master')
    .addOption(
      new Option('--timeout <time>', 'how long to wait').default(60_000, '60s').argParser(duration),
    )
    .addHelpText('after', FAILOVER_HELP)
    .action(async (group: string, options) => {
      exitWith(await (await import('./failover.ts')).runFailover(group, options))
    })
}

function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('look at writes that were lost in a failover, and put them back')
  ledger
    .command('show')
    .argument('<file>', 'lost-writes-….ledger, from the dir of a data node')
    .description('say what is in a ledger')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', LEDGER_SHOW_HELP)
    .action(async (file: string, options) => {
      exitWith((await import('./ledger.ts')).runLedgerShow(file, options))
    })
  loginOptions(ledger.command('replay').argument('<file>', 'lost-writes-….ledger'))
    .description('send what is in a ledger to a server')
    .addOption(new Option('--to <host:port>', 'the server').argParser(server).makeOptionMandatory())
    .option('--dry-run', 'show what would be sent')
    .option('--yes', 'send it')
    .option('--only-missing-keys', 'leave out what touches a key the server has')
    .option('--again', 'send it although it was sent before')
    .addHelpText('after', LEDGER_REPLAY_HELP)
    .action(async (file: string, options) => {
      exitWith(await (await import('./ledger-replay.ts')).runLedgerReplay(file, options))
    })
}

/** Where Sentinels are, and how to be let in. */
function accessOptions(command: Command): Command {
  return loginOptions(
    command.addOption(
      new Option(
        '--sentinel <host:port>',
        'a Sentinel to ask; again: others (default: 127.0.0.1:26379)',
      ).argParser(addresses),
    ),
  )
}

/** How to be let in. */
function loginOptions(command: Command): Command {
  return command
    .option('--user <name>', 'the user to log in as')
    .option('--pass <password>', 'its password; better in the variable REDISCLI_AUTH')
    .option('--tls', 'connect with TLS')
    .option('--cacert <file>', 'whom to believe, in PEM')
    .option('--cert <file>', 'who we are, in PEM')
    .option('--key <file>', 'the key that belongs to it')
}

function addExportConf(program: Command): void {
  program
    .command('export-conf')
    .argument('<file>', 'sentinel.conf or sentinel.yml')
    .description('write a sentinel.conf with which redis-sentinel goes on where this Sentinel is')
    .option('--state <file>', 'the state file, if it is not the one beside the configuration')
    .option('--out <file>', 'write to this file instead of standard output')
    .addHelpText('after', EXPORT_CONF_HELP)
    .action(async (file: string, options) => {
      exitWith((await import('./export-conf.ts')).runExportConf(file, options))
    })
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
      exitWith(await (await import('./scenario.ts')).runScenarios(files, options))
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
        'what may go wrong: anything, or only what is no reason to act',
      )
        .choices(FUZZ_PROFILES)
        .default('faults'),
    )
    .addOption(
      new Option(
        '--detection <mode>',
        'how masters are found dead (default: as drawn; with noise: both)',
      ).choices(['ping', 'evidence', 'both']),
    )
    .addOption(new Option('--minutes <m>', 'end after so long').argParser(minutes))
    .addOption(
      new Option('--jobs <n>', 'runs at the same time (default: one per core)').argParser(workers),
    )
    .option('--stop-at-first', 'end with the first failure')
    .option('--out <folder>', 'where failing scenarios are written', './vedette-failures')
    .option('--no-shrink', 'write failing scenarios as they were drawn')
    .option('--json', 'one JSON object a line for each failure, and one for the summary')
    .option('--print', 'show the drawn scenarios instead of playing them')
    .addHelpText('after', FUZZ_HELP)
    .action(async (options) => exitWith(await (await import('./fuzz.ts')).runFuzz(options)))
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
      exitWith(await (await import('./simulate.ts')).runSimulate(config, options))
    })
}

/** A program that takes Redis' own `--directive value …`, which only its configuration knows. */
function directives(command: Command, args: string): Command {
  return command.arguments(args).allowUnknownOption().allowExcessArguments()
}

/** Undefined: the program goes on running and ends the process itself. */
function exitWith(status: number | undefined): void {
  if (status !== undefined) process.exitCode = status
}

/** Keeps compiled code between the many short starts of a cluster. From Node 22 on; until then nothing. */
function cacheCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: () => void }
  enableCompileCache?.()
}

try {
  if (process.argv[2] === 'up' || process.env[MEMBERS_VARIABLE] !== undefined) cacheCompiledCode()
  await createProgram().parseAsync()
} catch (error) {
  // It has said what it had to say: help and the version are no failures, anything else is.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT_CONFIG)
  // At once: a listener that was opened before the failure would keep the process alive.
  process.exit(reportFailure(error))
}

#!/usr/bin/env node
/**
 * The command line. Programs are loaded when they are asked for: a data node does not pay for the
 * YAML parser, nor a check for a client library.
 */
import { Command, CommanderError, Option } from 'commander'
import type { FuzzProfile } from '../fuzz/draw/draw.ts'
import { accessOptions, loginOptions } from './access-options.ts'
import { addCheck } from './check/check-command.ts'
import { splitArguments } from './daemon/redis-arguments.ts'
import {
  EPOCHS_HELP,
  EXPORT_CONF_HELP,
  FAILOVER_HELP,
  FUZZ_HELP,
  LEDGER_REPLAY_HELP,
  LEDGER_SHOW_HELP,
  REPLAY_HELP,
  SCENARIO_HELP,
  SENTINEL_HELP,
  SERVER_HELP,
  SIMULATE_HELP,
  STATUS_HELP,
  UP_HELP,
} from './help.ts'
import {
  collect,
  count,
  days,
  duration,
  minutes,
  moment,
  openSeeds,
  port,
  rate,
  seedCount,
  seeds,
  server,
  workers,
} from './options.ts'
import { addOrders } from './order-commands.ts'
import { outliveReader, watchOutput } from './output.ts'
import { addProxy } from './proxy/proxy-command.ts'
import { EXIT_CONFIG, reportFailure } from './report.ts'
import { ENGINES, SIDES } from './scenario/engines.ts'
import { DEFAULT_RATE, DEFAULT_SEEDS, LAYOUTS, PROFILE_NAMES } from './simulate/simulate-options.ts'
import { ownVersion } from './version.ts'

function createProgram(): Command {
  const version = ownVersion()
  const program = new Command('vedette')
    .description('Keeps Redis-protocol masters alive: Sentinel, data node and partition laboratory')
    .version(version, '-v, --version')
    .showHelpAfterError('(--help tells how)')
    .exitOverride()
    .hook('preAction', (_, command) => outliveReader(command.name()))
  addUp(program)
  addSentinel(program)
  addServer(program)
  addProxy(program)
  addCheck(program)
  addExportConf(program)
  addStatus(program)
  addFailover(program)
  addOrders(program)
  addEpochs(program)
  addScenario(program)
  addFuzz(program)
  addSimulate(program)
  addLedger(program)
  addReplay(program)
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
    .option('--open', 'open its page in a browser')
    .addHelpText('after', UP_HELP)
    .action(async (options) => exitWith(await (await import('./up/up.ts')).runUp(options)))
}

function addSentinel(program: Command): void {
  directives(program.command('sentinel'), '<file> [directives...]')
    .description('watch over masters and fail them over')
    .addHelpText('after', SENTINEL_HELP)
    .action(async (file: string, directives: string[]) => {
      const { path, overrides, stdin } = splitArguments([file, ...directives])
      const { runSentinel } = await import('./sentinel/sentinel.ts')
      exitWith(await runSentinel({ path: path ?? '', overrides, stdin }))
    })
}

function addServer(program: Command): void {
  directives(program.command('server'), '[arguments...]')
    .description('run a data node that speaks the Redis protocol')
    .addHelpText('after', SERVER_HELP)
    .action(async (args: string[]) => {
      exitWith(await (await import('./server/server.ts')).runServer(splitArguments(args)))
    })
}

function addStatus(program: Command): void {
  accessOptions(program.command('status').argument('[group]', 'only this group'))
    .description('what all Sentinels think, side by side, and what is wrong')
    .option('--watch', 'again every second, until q or Ctrl-C')
    .option('--json', 'one JSON object a round, for scripts')
    .addHelpText('after', STATUS_HELP)
    .action(async (group: string | undefined, options) => {
      exitWith(await (await import('./status/status.ts')).runStatus(group, options))
    })
}

function addFailover(program: Command): void {
  accessOptions(program.command('failover').argument('<group>', 'whose master is to change'))
    .description('promote a replica now')
    .option('--coordinated', 'let the master hand over itself, so that no write is lost')
    .addOption(new Option('--to <host:port>', 'promote this replica').argParser(server))
    .option('--dry-run', 'only tell what would be done, and why not')
    .option('--wait', 'until every Sentinel names the new master')
    .option('--json', 'one JSON object, for scripts')
    .addOption(
      new Option('--timeout <time>', 'how long to wait').default(60_000, '60s').argParser(duration),
    )
    .addHelpText('after', FAILOVER_HELP)
    .action(async (group: string, options) => {
      exitWith(await (await import('./failover/failover.ts')).runFailover(group, options))
    })
}

function addEpochs(program: Command): void {
  accessOptions(program.command('epochs'))
    .description('the epochs of all Sentinels; lower them where they are used up or too far apart')
    .option('--lower', 'do it, with all Sentinels or with none')
    .addHelpText('after', EPOCHS_HELP)
    .action(async (options) => {
      exitWith(await (await import('./epochs/epochs.ts')).runEpochs(options))
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
      exitWith((await import('./ledger/ledger.ts')).runLedgerShow(file, options))
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
      exitWith(await (await import('./ledger/ledger-replay.ts')).runLedgerReplay(file, options))
    })
}

function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('<records...>', 'segments of a black box, or folders of them')
    .description('play the record of a Sentinel again, and say whether it decides the same')
    .option('--events', 'show what it announced')
    .addOption(
      new Option(
        '--at <time>',
        'show what it believed at a moment: 2026-11-20T03:12:44Z',
      ).argParser(moment),
    )
    .option('--step', 'go through it decision by decision, with keys')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', REPLAY_HELP)
    .action(async (records: string[], options) => {
      exitWith(await (await import('./replay/replay.ts')).runReplay(records, options))
    })
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
      exitWith((await import('./sentinel/export-conf.ts')).runExportConf(file, options))
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
      exitWith(await (await import('./scenario/scenario.ts')).runScenarios(files, options))
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
        .choices(['faults', 'noise', 'stall', 'liar', 'long-life'] satisfies FuzzProfile[])
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
    .action(async (options) => exitWith(await (await import('./fuzz/fuzz.ts')).runFuzz(options)))
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
      exitWith(await (await import('./simulate/simulate.ts')).runSimulate(config, options))
    })
}

/**
 * A program that takes Redis' own `--directive value …`; only its configuration knows the
 * directives.
 */
function directives(command: Command, args: string): Command {
  return command.arguments(args).allowUnknownOption().allowExcessArguments()
}

/** Undefined: the program goes on running and ends the process itself. */
function exitWith(status: number | undefined): void {
  if (status !== undefined) process.exitCode = status
}

/** Ends the process itself if it fails. */
async function main(): Promise<void> {
  watchOutput()
  try {
    await createProgram().parseAsync()
  } catch (error) {
    // Commander has already written its message: help and the version are no failures, anything else
    // is.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT_CONFIG)
    // Exits at once: a listener that was opened before the failure would keep the process alive.
    process.exit(reportFailure(error))
  }
}

void main()

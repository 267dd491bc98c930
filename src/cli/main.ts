#!/usr/bin/env node
/**
 * The command line. Programs are loaded when they are asked for: a data node does not pay for the
 * YAML parser, nor a check for a client library.
 */
import { Argument, Command, CommanderError, Option } from 'commander'
import { accessOptions, loginOptions } from './access-options.ts'
import { addCheck } from './check/check-command.ts'
import { splitArguments } from './daemon/redis-arguments.ts'
import { addForesight } from './foresight-commands.ts'
import {
  EPOCHS_HELP,
  EXPORT_CONF_HELP,
  FAILOVER_HELP,
  INCIDENT_HELP,
  LEDGER_REPLAY_HELP,
  LEDGER_SHOW_HELP,
  REPLAY_HELP,
  SENTINEL_HELP,
  SERVER_HELP,
  STATUS_HELP,
  UP_HELP,
} from './help.ts'
import { addLaboratory } from './laboratory-commands.ts'
import { count, duration, moment, port, server } from './options.ts'
import { addOrders } from './order-commands.ts'
import { outliveReader, watchOutput } from './output.ts'
import { addProxy } from './proxy/proxy-command.ts'
import { EXIT_CONFIG, reportFailure } from './report.ts'
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
  addForesight(program)
  addOrders(program)
  addEpochs(program)
  addLaboratory(program)
  addLedger(program)
  addReplay(program)
  addIncident(program)
  return program
}

const UP_ORDER_WORDS = {
  kill: 'kill the master of a running vedette up, or the member at PORT (SIGKILL)',
  stop: 'stop it, so that connections stay and answers do not come (SIGSTOP)',
  cut: 'cut a node off from the rest; clients still reach it',
  back: 'bring back what was harmed last, or the member at PORT',
  status: 'who is there, who is master, and what is missing',
} as const

/** The remote control of a `vedette up` that runs. */
function addUpOrders(up: Command): void {
  for (const order of ['kill', 'stop', 'cut', 'back', 'status'] as const) {
    const command = up.command(order).description(UP_ORDER_WORDS[order])
    if (order !== 'status')
      command.addArgument(new Argument('[port]', 'of the member').argParser(port))
    command
      .addOption(
        new Option('--cluster <p>', 'the one that has node p, if several run').argParser(port),
      )
      .option('--json', 'one JSON object, for scripts')
      .action(async (...words) => {
        const member = order === 'status' ? undefined : words[0]
        const { runRemote } = await import('./up/remote.ts')
        exitWith(await runRemote(order, member, words.at(-2)))
      })
  }
}

function addUp(program: Command): void {
  const up = program
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
  addUpOrders(up)
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

function addIncident(program: Command): void {
  program
    .command('incident')
    .argument('<records...>', 'segments of black boxes, or folders of them, of all Sentinels')
    .description('tell what Sentinels recorded of a failover, in the order of causes')
    .option('--last', 'the last one; so it is without any of these three')
    .addOption(
      new Option(
        '--since <time>',
        'all that were not over by then: 2026-11-20T03:12:44Z',
      ).argParser(moment),
    )
    .addOption(new Option('--at <time>', 'the one at that moment').argParser(moment))
    .option('--html <file>', 'write it as a page for a browser, too')
    .option('--json', 'one JSON object, for scripts')
    .addHelpText('after', INCIDENT_HELP)
    .action(async (records: string[], options) => {
      exitWith((await import('./incident/incident.ts')).runIncident(records, options))
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

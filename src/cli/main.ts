#!/usr/bin/env node
/**
 * The command line. Programs are loaded when they are asked for: a data node does not pay for the
 * YAML parser, nor a check for a client library.
 */
import { Argument, Command, CommanderError, Option } from 'commander'
import { accessOptions, loginOptions, nodeLoginOptions } from './access-options.ts'
import { addCheck } from './check/check-command.ts'
import { splitArguments } from './daemon/redis-arguments.ts'
import { addForesight } from './foresight-commands.ts'
import {
  EPOCHS_HELP,
  EXPORT_CONF_HELP,
  FAILOVER_HELP,
  INCIDENT_HELP,
  LEDGER_GROUP_HELP,
  LEDGER_REPLAY_HELP,
  LEDGER_SHOW_HELP,
  REPLAY_HELP,
  SENTINEL_HELP,
  SERVER_HELP,
  STATUS_HELP,
  UP_HELP,
} from './help.ts'
import { answerFailure } from './json-answer.ts'
import { addFuzz, addScenario, addSimulate } from './laboratory-commands.ts'
import {
  changedSetting,
  demoReplicas,
  demoSentinels,
  duration,
  moment,
  noted,
  port,
  seeds,
  server,
} from './options.ts'
import { addOrders } from './order-commands.ts'
import { outliveReader, watchOutput } from './output.ts'
import { addProxy } from './proxy/proxy-command.ts'
import { EXIT_CONFIG, failureTold, reportFailedStart, reportFailure } from './report.ts'
import { ownVersion } from './version.ts'

function createProgram(): Command {
  const version = ownVersion()
  const program = new Command('vedette')
    .description('A Redis Sentinel, a Redis-protocol data node, and a laboratory for failures')
    .version(version, '-v, --version')
    .showHelpAfterError('(--help tells how)')
    .exitOverride()
    .hook('preAction', (_, command) => {
      outliveReader(fullName(command))
      isJsonWanted = command.opts().json === true
    })
  for (const [heading, additions] of COMMAND_GROUPS) {
    program.commandsGroup(heading)
    for (const add of additions) add(program)
  }
  program.commandsGroup('Help:').helpCommand(true)
  return program
}

/** The commands in the order of the top-level help, under its headings. */
const COMMAND_GROUPS: readonly (readonly [string, readonly ((program: Command) => void)[]])[] = [
  ['Run:', [addUp, addSentinel, addServer, addProxy]],
  ['Configure:', [addCheck, addExportConf]],
  ['Operate:', [addStatus, addFailover, addOrders, addEpochs]],
  ['Understand:', [addForesight, addIncident, addReplay, addLedger]],
  ['Laboratory:', [addScenario, addFuzz, addSimulate]],
]

const UP_ORDER_WORDS = {
  kill: 'kill the master of the running cluster, or the member at PORT (SIGKILL)',
  stop: 'freeze it: connections stay open, but nothing answers (SIGSTOP)',
  cut: 'cut it off from the other nodes and the Sentinels; clients still reach it',
  back: 'undo the last fault, or bring back the member at PORT',
  status: 'show the members, the master, and what is missing',
} as const

/** The remote control of a `vedette up` that runs. */
function addUpOrders(up: Command): void {
  for (const order of ['kill', 'stop', 'cut', 'back', 'status'] as const) {
    const command = up.command(order).description(UP_ORDER_WORDS[order])
    if (order !== 'status')
      command.addArgument(new Argument('[port]', 'the port of the member').argParser(port))
    command
      .addOption(
        new Option(
          '--cluster <p>',
          'if several clusters run: the one with a node on port p',
        ).argParser(port),
      )
      .option('--json', 'print one JSON object, for scripts')
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
    .description('start a demonstration cluster: a master, replicas and Sentinels')
    .addOption(
      new Option('--replicas <n>', 'number of replicas').default(2).argParser(demoReplicas),
    )
    .addOption(
      new Option('--sentinels <n>', 'number of Sentinels').default(3).argParser(demoSentinels),
    )
    .addOption(
      new Option('--port <p>', 'nodes listen on p, p+1, …, Sentinels on p+100, p+101, …').argParser(
        port,
      ),
    )
    .option(
      '--dir <folder>',
      'keep all files in this folder; the same --port continues with them later',
    )
    .option('--config <file>', 'take the options of the group from this sentinel.yml')
    .addOption(
      new Option(
        '--down-after <time>',
        'a master that is silent for this long is down: 1s, 500ms',
      ).argParser(duration),
    )
    .option('--open', 'open the web page of the cluster in a browser')
    .addHelpText('after', UP_HELP)
    .allowExcessArguments()
    .action(async (options, { args: [order] }: Command) => {
      if (order !== undefined) up.error(unknownOrder(order), { code: 'commander.unknownCommand' })
      exitWith(await (await import('./up/up.ts')).runUp(options))
    })
  addUpOrders(up)
}

/** `up` alone does something, so the parser takes a mistyped order for an argument. */
function unknownOrder(order: string): string {
  return `error: unknown command '${order}' of up; there are ${Object.keys(UP_ORDER_WORDS).join(', ')}`
}

function addSentinel(program: Command): void {
  directives(program.command('sentinel'), '<file> [directives...]')
    .description('run a Sentinel: watch masters and fail them over')
    .addHelpText('after', SENTINEL_HELP)
    .action(async (file: string, directives: string[]) => {
      const { runSentinel } = await import('./sentinel/sentinel.ts')
      await start(() => runSentinel(splitArguments([file, ...directives])))
    })
}

function addServer(program: Command): void {
  directives(program.command('server'), '[arguments...]')
    .description('run a data node that speaks the Redis protocol')
    .addHelpText('after', SERVER_HELP)
    .action(async (args: string[]) => {
      const { runServer } = await import('./server/server.ts')
      await start(() => runServer(splitArguments(args)))
    })
}

function addStatus(program: Command): void {
  accessOptions(program.command('status').argument('[group]', 'show only this group'))
    .description('show what each Sentinel believes, side by side, and what is wrong')
    .option('--watch', 'refresh every second, until q or Ctrl-C')
    .option('--json', 'print one JSON object for each round, for scripts')
    .addHelpText('after', STATUS_HELP)
    .action(async (group: string | undefined, options) => {
      exitWith(await (await import('./status/status.ts')).runStatus(group, options))
    })
}

function addFailover(program: Command): void {
  accessOptions(program.command('failover').argument('<group>', 'the group to fail over'))
    .description('fail a group over to a replica now')
    .option('--coordinated', 'let the master hand over, so that no write is lost')
    .addOption(new Option('--to <host:port>', 'promote this replica').argParser(server))
    .option('--dry-run', 'show what would be done, or why it is not possible; change nothing')
    .option('--wait', 'wait until every Sentinel that answers names the new master')
    .option('--json', 'print one JSON object, for scripts')
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
    .description(
      'show the epochs of all Sentinels; lower them if they are used up or too far apart',
    )
    .option('--lower', 'lower the epochs, on all Sentinels or on none')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', EPOCHS_HELP)
    .action(async (options) => {
      exitWith(await (await import('./epochs/epochs.ts')).runEpochs(options))
    })
}

function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('show writes that a failover discarded, and send them again')
  nodeLoginOptions(accessOptions(ledger.command('list')))
    .description('list the ledgers of all nodes of a group')
    .option('--group <name>', 'the group, if the Sentinels watch several')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', LEDGER_GROUP_HELP)
    .action(async (options) => {
      exitWith(await (await import('./ledger/ledger-group.ts')).runLedgerList(options))
    })
  const fetch = ledger.command('fetch').argument('[names...]', 'ledgers; none: all of them')
  nodeLoginOptions(accessOptions(fetch))
    .description('copy ledgers from the nodes of a group')
    .option('--group <name>', 'the group, if the Sentinels watch several')
    .option('--out <folder>', 'the folder to write them to (default: this one)')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', LEDGER_GROUP_HELP)
    .action(async (names: string[], options) => {
      exitWith(await (await import('./ledger/ledger-group.ts')).runLedgerFetch(names, options))
    })
  ledger
    .command('show')
    .argument('<file>', 'a lost-writes-….ledger from the dir of a data node')
    .description('show the contents of a ledger')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', LEDGER_SHOW_HELP)
    .action(async (file: string, options) => {
      exitWith((await import('./ledger/ledger.ts')).runLedgerShow(file, options))
    })
  loginOptions(ledger.command('replay').argument('<file>', 'a lost-writes-….ledger'))
    .description('send the commands of a ledger to a server')
    .addOption(new Option('--to <host:port>', 'the server').argParser(server).makeOptionMandatory())
    .option('--dry-run', 'show what would be sent')
    .option('--yes', 'send it')
    .option('--only-missing-keys', 'leave out commands that touch a key the server has')
    .option('--again', 'send it although it has been sent before')
    .addHelpText('after', LEDGER_REPLAY_HELP)
    .action(async (file: string, options) => {
      exitWith(await (await import('./ledger/ledger-replay.ts')).runLedgerReplay(file, options))
    })
}

function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('<records...>', 'record files (*.vbb) of one Sentinel, or folders of them')
    .description('run the record of a Sentinel again, and check that it decides the same')
    .option('--events', 'show the events it announced')
    .addOption(
      new Option(
        '--at <time>',
        'show what it believed at this moment: 2026-11-20T03:12:44Z',
      ).argParser(moment),
    )
    .option('--step', 'step through its decisions with the keyboard')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', REPLAY_HELP)
    .action(async (records: string[], options) => {
      exitWith(await (await import('./replay/replay.ts')).runReplay(records, options))
    })
}

function addIncident(program: Command): void {
  const incident = program
    .command('incident')
    .argument('[records...]', 'record files (*.vbb), or folders of them; none: ask the Sentinels')
  nodeLoginOptions(accessOptions(incident))
    .option('--group <name>', 'the group, if the Sentinels watch several')
    .description('tell the story of a failover from the records of all Sentinels')
    .option('--last', 'the last failover (default)')
    .addOption(
      new Option(
        '--since <time>',
        'all failovers that ended after this moment: 2026-11-20T03:12:44Z',
      ).argParser(moment),
    )
    .addOption(new Option('--at <time>', 'the failover at this moment').argParser(moment))
    .option('--id <id>', 'the failover that the Sentinels announced under this id: mymaster-7')
    .option('--html <file>', 'also write it as a web page')
    .option('--scenario <file>', 'also write it as a scenario, for vedette scenario run')
    .option('--what-if', 'play it in the simulated world, with the settings as they were')
    .addOption(
      new Option(
        '--set <option=value>',
        'with --what-if: also with this setting, such as down-after=3s; again: others',
      ).argParser(changedSetting),
    )
    .addOption(
      new Option(
        '--seeds <n>',
        'with --what-if: how many, or a range a..b (default: 1..10)',
      ).argParser(noted(seeds)),
    )
    .option('--bundle <file>', 'also write its records into one file, to attach to an issue')
    .option('--pseudonyms', 'in the bundle: replace names and addresses')
    .option('--json', 'print one JSON object, for scripts')
    .addHelpText('after', INCIDENT_HELP)
    .action(async (records: string[], options) => {
      exitWith(await (await import('./incident/incident.ts')).runIncident(records, options))
    })
}

/** `ledger replay`: as it is typed behind `vedette`. */
function fullName(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name()
}

function addExportConf(program: Command): void {
  program
    .command('export-conf')
    .argument('<file>', 'a sentinel.conf or sentinel.yml')
    .description('write a sentinel.conf with which redis-sentinel can take over')
    .option('--state <file>', 'the state file, if it is not beside the configuration')
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

/** Starts a program that takes the place of one of Redis' own. Exits at once if it cannot, as `main` does. */
async function start(run: () => Promise<number | undefined>): Promise<void> {
  try {
    exitWith(await run())
  } catch (error) {
    process.exit(reportFailedStart(error))
  }
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
    answerPrograms(Number(process.exitCode ?? 0))
  } catch (error) {
    // Exits at once: a listener that was opened before the failure would keep the process alive.
    process.exit(error instanceof CommanderError ? endedByCommander(error) : failedOn(error))
  }
}

/** Whether the command has --json; undefined: no command was begun, so that only its words can tell. */
let isJsonWanted: boolean | undefined

function answerPrograms(...answer: Parameters<typeof answerFailure>): void {
  if (isJsonWanted ?? process.argv.includes('--json')) answerFailure(...answer)
}

function failedOn(error: unknown): number {
  const status = reportFailure(error)
  answerPrograms(status)
  return status
}

/** Commander has already written its message: help and the version are no failures, anything else is. */
function endedByCommander({ exitCode, message }: CommanderError): number {
  if (exitCode === 0) return 0
  answerPrograms(EXIT_CONFIG, failureTold([message, '  --help tells how']))
  return EXIT_CONFIG
}

void main()

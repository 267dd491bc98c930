/** `vedette server`: a data node on real sockets, configured as redis-server is. */
import type { Problem } from '../config/problem.ts'
import { type DirectiveCheck, parseRedisConf, UNKNOWN_DIRECTIVE } from '../config/redis-conf.ts'
import type { LogLevel } from '../core/log-level.ts'
import { readClock } from '../io/clock.ts'
import { LearntSettings } from '../io/learnt-settings.ts'
import { listen } from '../io/listener.ts'
import { exitAfter, logCrashes, openLogger } from '../io/logger.ts'
import { NodeHost } from '../io/node-host.ts'
import { onStopSignal } from '../io/signals.ts'
import { DataNode } from '../server/node.ts'
import type { NodeInputs, NodePort } from '../server/port.ts'
import { Settings } from '../server/settings.ts'
import { joinCluster } from './child.ts'
import { readTextFile } from './files.ts'
import { randomSeed } from './random.ts'
import { EXIT_FAILED, reportProblems } from './report.ts'

/** Undefined: it runs, and ends the process itself. */
export async function runServer(args: readonly string[]): Promise<number | undefined> {
  const { file, overrides } = splitArguments(args)
  const learnt = file === undefined ? undefined : new LearntSettings(`${file}.learnt`)
  const settings = new Settings()
  const problems = configure(settings, file, learnt, overrides)
  if (problems.length > 0) {
    reportProblems(problems)
    return EXIT_FAILED
  }
  await start(settings, learnt)
  return undefined
}

/** As redis-server reads them: the file comes first, if there is one. */
function splitArguments(args: readonly string[]): {
  readonly file: string | undefined
  readonly overrides: readonly string[]
} {
  const [first] = args
  if (first === undefined || first.startsWith('--')) return { file: undefined, overrides: args }
  return { file: first, overrides: args.slice(1) }
}

/** The user's file, then what was learnt since, then the command line: later wins, as with Redis. */
function configure(
  settings: Settings,
  file: string | undefined,
  learnt: LearntSettings | undefined,
  overrides: readonly string[],
): readonly Problem[] {
  const load: DirectiveCheck = (name, words) =>
    settings.knows(name) ? settings.load(name, words) : UNKNOWN_DIRECTIVE
  const known = settings.match('*').map(([name]) => name)
  const text = file === undefined ? '' : readTextFile(file, 'latin1')
  const fromFile = parseRedisConf(text, file ?? '', [], load, known)
  settings.markFiled()
  learnt?.apply((name, value) => settings.set(name, value))
  const fromArguments = parseRedisConf('', '', overrides, load, known)
  return [...fromFile.problems, ...fromArguments.problems]
}

async function start(settings: Settings, learnt: LearntSettings | undefined): Promise<void> {
  const port = settings.int('port')
  const logger = await openLogger({
    level: settings.text('loglevel') as LogLevel,
    file: settings.text('logfile'),
    program: 'server',
    port,
  })
  logCrashes(logger)
  const listener = await listen({ addresses: settings.text('bind').split(' '), port })
  const membership = joinCluster()
  const host = new NodeHost({
    createNode: (nodePort) => createNode(settings, nodePort, learnt !== undefined),
    logger,
    saveSettings: (changed) => learnt?.save(changed),
    onExit: exitAfter(logger),
    localAddress: settings.text('bind-source-addr') || undefined,
    gate: membership?.gate,
  })
  listener.accept((socket) => host.accept(socket))
  onStopSignal(() => host.stop())
}

function createNode(settings: Settings, port: NodePort, hasConfigFile: boolean): NodeInputs {
  return new DataNode({ settings, port, rng: randomSeed(), now: readClock(), hasConfigFile })
}

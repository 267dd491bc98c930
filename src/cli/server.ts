/** `vedette server`: a data node on real sockets, configured as redis-server is. */
import { resolve } from 'node:path'
import { utf8Bytes, utf8Text } from '../base/utf8.ts'
import { numberAfter, readOverrides } from '../config/conf-lines.ts'
import type { Fatal } from '../config/fatal.ts'
import { formatProblem, type Problem } from '../config/problem.ts'
import { judgeLines, parseRedisConf } from '../config/redis-conf.ts'
import { vainLines } from '../config/vain-lines.ts'
import type { LogLevel } from '../core/log-level.ts'
import { goToBackground, takeBackgroundMark } from '../io/background.ts'
import { readClock } from '../io/clock.ts'
import { nodeOutside } from '../io/conf-outside.ts'
import { clientRoom } from '../io/file-limit.ts'
import { LearntSettings } from '../io/learnt-settings.ts'
import { listen } from '../io/listener.ts'
import { exitAfter, logCrashes, openLogger } from '../io/logger.ts'
import { NodeFiles } from '../io/node-files.ts'
import { NodeHost } from '../io/node-host.ts'
import { nodeTls } from '../io/node-tls.ts'
import { isSupervised } from '../io/readiness.ts'
import { onEveryStopSignal, onReloadSignal } from '../io/signals.ts'
import { boundYoungGeneration } from '../io/young-generation.ts'
import { DataNode, type DataNodeOptions } from '../server/node.ts'
import type { NodeInputs } from '../server/port.ts'
import { Settings } from '../server/settings/settings.ts'
import { announceReady } from './attend.ts'
import { joinCluster } from './child.ts'
import { clientRoomFault, fitMaxClients } from './client-room.ts'
import { readTextFile } from './files.ts'
import { isUsual, nodeDirectives } from './node-directives.ts'
import { lockAppendOnly } from './node-lock.ts'
import { nodeUsers, UserLines } from './node-users.ts'
import { randomSeed } from './random.ts'
import type { RedisArguments } from './redis-arguments.ts'
import { refuseStart } from './refuse.ts'
import { EXIT_FAILED } from './report.ts'

/** Undefined: it runs, and ends the process itself. */
export async function runServer(given: RedisArguments): Promise<number | undefined> {
  const { path, stdin } = given
  const learnt = path === undefined ? undefined : new LearntSettings(`${path}.learnt`)
  const settings = new Settings()
  const users = new UserLines()
  const { problems, fatal, notices, lowered } = configure(settings, users, learnt, given)
  if (problems.length > 0) {
    refuseStart(problems, fatal)
    return EXIT_FAILED
  }
  const isBackground = takeBackgroundMark()
  const isWatched = isSupervised(settings.text('supervised'))
  if (settings.flag('daemonize') && !isBackground && !isWatched) return goToBackground(stdin)
  const configFile = path === undefined ? '' : resolve(path)
  await start({ settings, users, learnt, notices, isBackground, configFile, lowered })
  return undefined
}

interface Configured {
  readonly problems: readonly Problem[]
  readonly fatal: Fatal | undefined
  /** For the log: what is set in vain. */
  readonly notices: readonly Problem[]
  /** For the log: a limit that could not be kept. */
  readonly lowered: string | undefined
}

/** The user's file, then what was learnt since, then the command line: later wins, as with Redis. */
function configure(
  settings: Settings,
  users: UserLines,
  learnt: LearntSettings | undefined,
  { path, stdin = '', overrides }: RedisArguments,
): Configured {
  const outside = nodeOutside(process.cwd())
  const load = nodeDirectives(settings, users, outside)
  const known = settings.match('*').map(([name]) => name)
  const text = (path === undefined ? '' : readTextFile(path, 'latin1')) + stdin
  const fromFile = parseRedisConf(text, path ?? 'standard input', [], load, known, outside)
  pinFolder(settings)
  const lowered = fitMaxClients(settings)
  settings.markFiled()
  learnt?.apply((name, value) => settings.set(name, value))
  const { lines } = readOverrides(overrides, numberAfter(text))
  const fromArguments = judgeLines(lines, load, known)
  pinFolder(settings)
  const loweredAgain = fitMaxClients(settings)
  // Asked once: the answer takes a file, and who runs out of them needs it most.
  const room = clientRoom()
  settings.guard(['maxclients'], () => clientRoomFault(settings, room))
  settings.guard(['dir'], () => outside.folderFault(utf8Text(settings.text('dir'))))
  return {
    problems: [...fromFile.problems, ...fromArguments.problems],
    fatal: fromFile.fatal ?? fromArguments.fatal,
    notices: vainLines([...fromFile.directives, ...fromArguments.directives], isUsual(settings)),
    lowered: loweredAgain ?? lowered,
  }
}

/** [dir] as everybody can find it: who backs up the file asks CONFIG GET. */
function pinFolder(settings: Settings): void {
  settings.set('dir', utf8Bytes(resolve(utf8Text(settings.text('dir')))))
}

interface Start {
  readonly settings: Settings
  readonly users: UserLines
  readonly learnt: LearntSettings | undefined
  readonly notices: readonly Problem[]
  readonly isBackground: boolean
  /** Empty: there is none. */
  readonly configFile: string
  readonly lowered: string | undefined
}

async function start(options: Start): Promise<void> {
  boundYoungGeneration()
  const { settings, users, learnt, notices, isBackground, configFile, lowered } = options
  const folder = resolve(utf8Text(settings.text('dir')))
  const inDir = (path: string) => (path === '' ? '' : resolve(folder, path))
  const access = { ...nodeUsers(users, settings), learntUsers: learnt?.users }
  const port = settings.int('port')
  const logger = await openLogger({
    level: settings.text('loglevel') as LogLevel,
    file: inDir(utf8Text(settings.text('logfile'))),
    program: 'server',
    port: port || settings.int('tls-port'),
  })
  logCrashes(logger)
  if (lowered !== undefined) logger.log('warning', lowered)
  for (const notice of notices) logger.log('notice', formatProblem(notice))
  await lockAppendOnly(settings, folder, logger)
  const tls = nodeTls(settings, (level, text) => logger.log(level, text))
  const listener = await listen({ addresses: settings.text('bind').split(' '), port, tls })
  const membership = joinCluster()
  const pidFile = inDir(utf8Text(settings.text('pidfile')))
  const host = new NodeHost({
    createNode: (port) =>
      createNode({ settings, port, ...access, hasConfigFile: learnt !== undefined }),
    logger,
    saveSettings: (changed, users) => learnt?.save(changed, users),
    files: new NodeFiles(() => resolve(utf8Text(settings.text('dir')))),
    configFile,
    supervisedBy: isSupervised(settings.text('supervised')) ? 'systemd' : 'no',
    onReady: () =>
      announceReady({ pidFile, supervised: settings.text('supervised'), isBackground }, logger),
    onExit: (status, reason) => {
      // The log may be a file nobody looks at who has just typed the command.
      if (reason !== undefined) process.stderr.write(`${reason}\n`)
      exitAfter(logger)(status)
    },
    localAddress: settings.text('bind-source-addr') || undefined,
    gate: membership?.gate,
    tls,
  })
  tls.watch()
  listener.accept((socket) => host.accept(socket))
  onEveryStopSignal((signal) => host.stop(signal))
  onReloadSignal(() => {
    const fault = logger.reopen(inDir(utf8Text(settings.text('logfile'))))
    if (fault !== undefined) logger.log('warning', fault)
    tls.reload()
  })
}

function createNode(options: Omit<DataNodeOptions, 'rng' | 'now'>): NodeInputs {
  return new DataNode({ ...options, rng: randomSeed(), now: readClock() })
}

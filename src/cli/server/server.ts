/** `vedette server`: a data node on real sockets, configured as redis-server is. */
import { join, resolve } from 'node:path'
import { logFormatOf } from '../../base/log-format.ts'
import { utf8Bytes, utf8Text } from '../../base/utf8.ts'
import { numberAfter, readOverrides } from '../../config/conf-lines.ts'
import type { Fatal } from '../../config/fatal.ts'
import { ignoredLines } from '../../config/ignored-lines.ts'
import { formatProblem, type Problem } from '../../config/problem.ts'
import { judgeLines, parseRedisConf } from '../../config/redis-conf.ts'
import type { LogLevel } from '../../core/log-level.ts'
import { newMeters } from '../../http/metrics/process-metrics.ts'
import { BUFFER_BYTES } from '../../io/buffer-bytes.ts'
import { nodeOutside } from '../../io/files/config-filesystem.ts'
import { LearntSettings } from '../../io/files/learnt-settings.ts'
import { type LockSubject, lockFile } from '../../io/files/lock.ts'
import { NodeFiles } from '../../io/files/node-files.ts'
import {
  type DaemonLogger,
  exitAfter,
  type Logger,
  logCrashes,
  openLogger,
} from '../../io/log/logger.ts'
import { latenessInto } from '../../io/metrics/meters.ts'
import { listen } from '../../io/network/listener.ts'
import { NodeHost } from '../../io/node-host.ts'
import { goToBackground, takeBackgroundMark } from '../../io/process/background.ts'
import { readClock } from '../../io/process/clock.ts'
import { clientRoom, loweredClients } from '../../io/process/file-limit.ts'
import { heapLimit, V8HeapMeter } from '../../io/process/heap-meter.ts'
import { isSupervised } from '../../io/process/readiness.ts'
import { onEveryStopSignal, onReloadSignal } from '../../io/process/signals.ts'
import { boundYoungGeneration } from '../../io/process/young-generation.ts'
import { nodeTls } from '../../io/tls/node-tls.ts'
import type { TlsLog } from '../../io/tls/tls.ts'
import { DataNode, type DataNodeOptions } from '../../server/node.ts'
import { Settings } from '../../server/settings/settings.ts'
import type { RedisArguments } from '../daemon/redis-arguments.ts'
import { announceReady } from '../daemon/service-ready.ts'
import { refuseStart } from '../daemon/start-refused.ts'
import { readTextFile } from '../files.ts'
import { randomSeed } from '../random.ts'
import { EXIT_FAILED, logFailedStart } from '../report.ts'
import { joinCluster } from '../up/child.ts'
import { ownVersion } from '../version.ts'
import { fitToHeap, guardHeap } from './heap-room.ts'
import { isUsual, nodeDirectives } from './node-directives.ts'
import { openNodeHttp } from './node-http.ts'
import { openNodeJournal, withJournal } from './node-journal.ts'
import { nodeUsers, UserLines } from './node-users.ts'
import { keepOomScore, keepTitle, openSyslog, tcpBacklog, unixDoor } from './process-directives.ts'

/** Undefined if it runs; it then ends the process itself. */
export async function runServer(given: RedisArguments): Promise<number | undefined> {
  const { path, stdin } = given
  const learnt = path === undefined ? undefined : new LearntSettings(`${path}.learnt`)
  const settings = new Settings()
  const users = new UserLines()
  const { problems, fatal, notices, lowered, kept } = configure(settings, users, learnt, given)
  if (problems.length > 0) {
    refuseStart(problems, fatal)
    return EXIT_FAILED
  }
  const isBackground = takeBackgroundMark()
  const isWatched = isSupervised(settings.text('supervised'))
  if (settings.flag('daemonize') && !isBackground && !isWatched) return goToBackground(stdin)
  const configFile = path === undefined ? '' : resolve(path)
  await start({ settings, users, learnt, notices, isBackground, configFile, lowered, kept })
  return undefined
}

interface Configured {
  readonly problems: readonly Problem[]
  readonly fatal: Fatal | undefined
  /** For the log: settings without effect. */
  readonly notices: readonly Problem[]
  /** For the log: limits that could not be kept. */
  readonly lowered: readonly string[]
  /** For the log: what counts in place of the user's file. */
  readonly kept: string | undefined
}

/** The user's file, then CONFIG REWRITE's, then the command line: later values win, as in Redis. */
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
  const filed = settings.given()
  pinFolder(settings)
  // Called once: the answer needs an open file, and a process that runs out of them needs it most.
  const room = clientRoom()
  const heapBytes = heapLimit()
  const fitLimits = () =>
    [fitMaxClients(settings, room), fitToHeap(settings, heapBytes)].filter(isText)
  const lowered = fitLimits()
  settings.markFiled()
  learnt?.apply(filed, (name, value) => settings.set(name, value))
  const rewritten = settings.differing()
  const { lines } = readOverrides(overrides, numberAfter(text), outside, settings.text('dir'))
  const fromArguments = judgeLines(lines, load, known)
  pinFolder(settings)
  const loweredAgain = fitLimits()
  settings.guard(['maxclients'], () => clientRoomFault(settings, room))
  guardHeap(settings, heapBytes)
  settings.guard(['dir'], () => outside.folderFault(utf8Text(settings.text('dir'))))
  return {
    problems: [...fromFile.problems, ...fromArguments.problems],
    fatal: fromFile.fatal ?? fromArguments.fatal,
    notices: ignoredLines([...fromFile.directives, ...fromArguments.directives], isUsual(settings)),
    lowered: loweredAgain.length > 0 ? loweredAgain : lowered,
    kept: learnt?.notice(unchanged(rewritten, settings.differing())),
  }
}

/** The directives that the command line has left as CONFIG REWRITE kept them. */
function unchanged(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  return [...before.keys()].filter((name) => now.get(name) === before.get(name))
}

/** [dir] as an absolute path: programs that back up the file ask CONFIG GET for it. */
function pinFolder(settings: Settings): void {
  settings.set('dir', utf8Bytes(resolve(utf8Text(settings.text('dir')))))
}

interface Start {
  readonly settings: Settings
  readonly users: UserLines
  readonly learnt: LearntSettings | undefined
  readonly notices: readonly Problem[]
  readonly isBackground: boolean
  /** Empty if there is none. */
  readonly configFile: string
  readonly lowered: readonly string[]
  readonly kept: string | undefined
}

async function start(options: Start): Promise<void> {
  boundYoungGeneration()
  const heap = new V8HeapMeter()
  const { settings, users, learnt, notices, isBackground, configFile, lowered, kept } = options
  const folder = resolve(utf8Text(settings.text('dir')))
  const inDir = (path: string) => (path === '' ? '' : resolve(folder, path))
  const access = { ...nodeUsers(users, settings), learntUsers: learnt?.users }
  const port = settings.int('port')
  let node: DataNode | undefined
  const logger: DaemonLogger = await openLogger({
    level: settings.text('loglevel') as LogLevel,
    file: inDir(utf8Text(settings.text('logfile'))),
    program: 'server',
    port: port || settings.int('tls-port'),
    format: logFormatOf(settings.text('log-format')),
    syslog: openSyslog(settings, (reason) => logger.log('warning', reason)),
    role: () => (node?.services.replication.isReplica() ? 'S' : 'M'),
  })
  logCrashes(logger)
  logFailedStart(logger, settings.text('logfile') !== '' || settings.flag('syslog-enabled'))
  for (const text of lowered) logger.log('warning', text)
  for (const notice of notices) logger.log('notice', formatProblem(notice))
  if (kept !== undefined) logger.log('notice', kept)
  for (const text of learnt?.forgetChanged() ?? []) logger.log('notice', text)
  await lockAppendOnly(settings, folder, logger)
  const log: TlsLog = (level, text) => logger.log(level, text)
  const tls = nodeTls(settings, log)
  const addresses = words(settings.text('bind'))
  const unix = unixDoor(settings)
  const listener = await listen({ addresses, port, tls, unix, backlog: tcpBacklog(settings) })
  keepTitle(settings, configFile)
  keepOomScore(settings, logger)
  const membership = joinCluster()
  const supervised = settings.text('supervised')
  const pidFile = inDir(utf8Text(settings.text('pidfile')))
  const attendance = { pidFile, supervised, isBackground, socket: unix?.path }
  const meters = { ...newMeters(), certificates: () => tls.certificates }
  const journal = await openNodeJournal(settings, folder, () => node, logger)
  const host = new NodeHost({
    createNode: (port) => {
      node = createNode({ settings, port, ...access, hasConfigFile: learnt !== undefined })
      return node
    },
    logger,
    heap,
    saveSettings: (changed, users) => learnt?.save(changed, users),
    files: withJournal(new NodeFiles(() => resolve(utf8Text(settings.text('dir')))), journal),
    configFile,
    version: ownVersion(),
    supervisedBy: isSupervised(supervised) ? 'systemd' : 'no',
    onReady: () => announceReady(attendance, logger),
    // A client that connects again at once must not reach a node that is ending.
    onEnding: () => listener.close(),
    onExit: (status, reason) => {
      // The log may go to a file that a user who has just typed the command does not look at.
      if (reason !== undefined) process.stderr.write(`${reason}\n`)
      if (reason !== undefined) journal?.note(readClock(), { kind: 'failed', reason })
      exitAfter(logger)(status)
    },
    sourceAddress: () => settings.text('bind-source-addr'),
    gate: membership?.gate,
    tls,
    noteLateness: latenessInto(meters),
    note: journal && ((now, event) => journal.note(now, event)),
  })
  tls.watch()
  const http = node && (await openNodeHttp({ settings, host, node, tls, log, meters }))
  listener.accept((socket) => host.accept(socket))
  onEveryStopSignal((signal) => host.stop(signal))
  onReloadSignal(() => {
    const fault = logger.reopen(inDir(utf8Text(settings.text('logfile'))))
    if (fault !== undefined) logger.log('warning', fault)
    tls.reload()
    http?.reload()
  })
}

function isText(text: string | undefined): text is string {
  return text !== undefined
}

function createNode(options: Omit<DataNodeOptions, 'rng' | 'now'>): DataNode {
  return new DataNode({ ...options, rng: randomSeed(), now: readClock(), byteCodec: BUFFER_BYTES })
}

// [maxclients] Never more than the system has files for: a client that is refused with an error
// learns why.

/** Lowers it, as Redis does. Returns a line for the log if it had to. */
export function fitMaxClients(settings: Settings, room: number | undefined): string | undefined {
  const wanted = settings.int('maxclients')
  if (room === undefined || wanted <= room) return undefined
  settings.set('maxclients', `${room}`)
  return loweredClients('maxclients', room, wanted)
}

/** For CONFIG SET: why there cannot be that many, in Redis' words. */
export function clientRoomFault(settings: Settings, room: number | undefined): string | undefined {
  if (room === undefined || settings.int('maxclients') <= room) return undefined
  return `The operating system is not able to handle the specified number of clients, try with ${room}`
}

// The append-only file belongs to one process. Two nodes started in one folder, as happens with a copied
// unit or a service started twice, would append to the same files, and neither would load again. Redis
// allows that. Dumps are replaced as a whole, so nodes without an append-only file may share a folder.

/** Throws a StartError that names the process which already has the files. */
async function lockAppendOnly(settings: Settings, folder: string, logger: Logger): Promise<void> {
  if (!settings.flag('appendonly')) return
  const name = `${settings.text('appenddirname')}-${settings.text('appendfilename')}`
  const path = join(folder, utf8Text(name))
  const files = join(folder, utf8Text(settings.text('appenddirname')))
  const { missing } = await lockFile(path, { subject: subjectOf(files) })
  if (missing === undefined) return
  const consequence = 'nothing keeps a second node from writing to the same files'
  logger.log('warning', `the append-only file cannot be locked (${missing}): ${consequence}`)
}

function subjectOf(files: string): LockSubject {
  return {
    code: 'E_AOF_IN_USE',
    what: () => `the append-only file in ${files}`,
    hint: 'stop that process, or give this node a dir of its own',
  }
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

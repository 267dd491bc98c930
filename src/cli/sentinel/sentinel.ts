/** `vedette sentinel`: a Sentinel on real sockets, in the place of redis-sentinel. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Rng } from '../../base/rng.ts'
import { keepsRecord } from '../../config/black-box-options.ts'
import { goneOnSince } from '../../config/gone-on.ts'
import { formatProblem, type Problem } from '../../config/problem.ts'
import {
  isYml,
  type SentinelFile,
  stateFileName,
  toSavedState,
} from '../../config/sentinel-file.ts'
import { certificatesUsedBy } from '../../config/tls-options.ts'
import { checkSentinelAclFile } from '../../core/access/access-start.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { newMeters, type ProcessMeters } from '../../http/metrics/process-metrics.ts'
import type { RecordFiles } from '../../io/blackbox/segment-writer.ts'
import { lockFile } from '../../io/files/lock.ts'
import { StateFile } from '../../io/files/state-file.ts'
import type { Webhooks } from '../../io/hooks/webhooks.ts'
import type { HttpServer } from '../../io/http/http-server.ts'
import { exitAfter, type Logger, logCrashes, openLogger } from '../../io/log/logger.ts'
import { latenessInto, measuredSaves } from '../../io/metrics/meters.ts'
import { listen } from '../../io/network/listener.ts'
import { goToBackground, takeBackgroundMark } from '../../io/process/background.ts'
import { readClock } from '../../io/process/clock.ts'
import { clientRoom } from '../../io/process/file-limit.ts'
import { processFacts } from '../../io/process/process-facts.ts'
import { isSupervised } from '../../io/process/readiness.ts'
import { onReloadSignal, onStopSignal } from '../../io/process/signals.ts'
import { SentinelHost } from '../../io/sentinel-host.ts'
import { reasonOf } from '../../io/start-error.ts'
import { Tls, type TlsLog } from '../../io/tls/tls.ts'
import { inFolder } from '../../io/tls/tls-paths.ts'
import { openAclFile } from '../daemon/acl-files.ts'
import { fitSentinel } from '../daemon/fit-clients.ts'
import type { RedisArguments } from '../daemon/redis-arguments.ts'
import { announceReady } from '../daemon/service-ready.ts'
import { refuseStart } from '../daemon/start-refused.ts'
import { randomSeed } from '../random.ts'
import { EXIT_FAILED, logFailedStart, say } from '../report.ts'
import { joinCluster } from '../up/child.ts'
import { ownVersion } from '../version.ts'
import { rehearseWhenCalm } from './rehearse.ts'
import { readSentinelFile, type SentinelSource } from './sentinel-config.ts'
import { Sidecar } from './sentinel-proxy.ts'
import { Reloader } from './sentinel-reload.ts'

/** Undefined if it runs; it then ends the process itself. */
export async function runSentinel(given: RedisArguments): Promise<number | undefined> {
  const { path, overrides, stdin } = given
  if (path === undefined) {
    say('Sentinel needs config file on disk to save state. Exiting...')
    return EXIT_FAILED
  }
  const source = { path, overrides, stdin, home: process.cwd() }
  const parsed = readSentinelFile(source)
  if (!parsed.ok) return refuseStart(parsed.problems, parsed.fatal)
  const isBackground = takeBackgroundMark()
  const { daemonize, supervised } = parsed.value
  if (daemonize && !isBackground && !isSupervised(supervised)) return goToBackground(source.stdin)
  const folder = goHome(parsed.value, source)
  // Asked once: the answer needs an open file, and a process that runs out of them needs it most.
  const room = clientRoom()
  const { fitted: file, lowered } = fitSentinel(parsed.value, room)
  await start({ file, folder, source, warnings: parsed.warnings, isBackground, lowered, room })
  return undefined
}

/**
 * Changes to `dir`, as Redis does, so that paths mean the same. In a sentinel.yml this is only the
 * folder of the state file. Returns that folder.
 */
function goHome({ stateDir }: SentinelFile, { path, home }: Source): string {
  const folder = resolve(home, stateDir ?? dirname(path))
  if (stateDir !== undefined && !isYml(path)) process.chdir(folder)
  return folder
}

type Source = SentinelSource & { readonly home: string }

interface Start {
  readonly file: SentinelFile
  /** The folder of the state file. */
  readonly folder: string
  readonly source: Source
  readonly warnings: readonly Problem[]
  readonly isBackground: boolean
  /** For the log: limits that could not be kept. */
  readonly lowered: readonly string[]
  /** For how many clients the system has files; undefined: it does not say. */
  readonly room: number | undefined
}

async function start(options: Start): Promise<void> {
  const { file, folder, source, warnings, isBackground, lowered, room } = options
  const { core, listen: where } = file
  const rng = randomSeed()
  const port = where.port || core.tlsPort
  const logger = await openLogger({
    level: file.logLevel,
    file: file.logFile,
    program: 'sentinel',
    port,
    format: file.logFormat,
  })
  logCrashes(logger)
  logFailedStart(logger, file.logFile !== '')
  for (const text of lowered) logger.log('warning', text)
  for (const warning of warnings) logger.log('notice', formatProblem(warning))
  const acl = openAclFile(file.aclFile, process.cwd(), (found) => checkSentinelAclFile(found, core))
  const log: TlsLog = (level, text) => logger.log(level, text)
  const tls = new Tls(inFolder(file.tls, process.cwd()), log, certificatesUsedBy(file))
  // The port comes before the state file: a process that cannot have both leaves the state file
  // alone.
  const listener = await listen({ addresses: where.bind, port: where.port, tls })
  const stateFile = await openState(resolve(folder, stateFileName(file)), logger)
  joinCluster()
  const meters = { ...newMeters(), certificates: () => tls.certificates }
  const saved = restore(stateFile, file, rng, logger)
  logger.log('notice', `Running mode=sentinel, port=${port}.`)
  let webhooks = await openWebhooks(file, port, rng, logger)
  const changeWebhooks = async (to: SentinelFile) => {
    if (webhooks === undefined) webhooks = await openWebhooks(to, port, rng, logger)
    else webhooks.change(to.webhooks)
  }
  const record = await openRecord(file, folder, logger)
  const host = new SentinelHost({
    record,
    recorder: record?.recorder,
    start: {
      config: core,
      saved,
      rng,
      now: readClock(),
      process: processFacts({
        configFile: resolve(source.home, source.path),
        supervised: file.supervised,
        version: ownVersion(),
      }),
      aclFile: acl,
      secret: randomBytes(32).toString('hex'),
    },
    aclFile: acl?.file,
    save: measuredSaves(meters, (state) => stateFile.save(state)),
    noteLateness: latenessInto(meters),
    logger,
    onEnding: () => listener.close(),
    onExit: (status) => {
      webhooks?.close()
      record?.finish()
      exitAfter(logger)(status)
    },
    onEvent: (event) => webhooks?.offer(event),
    localAddress: file.bindSourceAddr || undefined,
    outputLimitBytes: file.outputLimitBytes,
    tls,
  })
  tls.watch()
  const http = await openSentinelHttp({ file, host, tls, log, meters })
  listener.accept((socket) => host.accept(socket))
  const place = { folder, tls, logger, meters }
  const sidecar = await Sidecar.open(file, { ...place, onExit: () => host.stop() })
  onStopSignal(() => sidecar.stop())
  const changes = { changeWebhooks, changeProxy: (to: SentinelFile) => sidecar.change(to) }
  const reloader = new Reloader({ source, running: file, room, host, tls, ...changes, logger })
  onReloadSignal(() => {
    reloader.reload()
    http?.reload()
  })
  announceReady({ ...file, isBackground }, logger)
  rehearseWhenCalm(log)
}

/** Imported only where there are any: most Sentinels send nothing. */
async function openWebhooks(
  { webhooks, core }: SentinelFile,
  port: number,
  rng: Rng,
  logger: Logger,
): Promise<Webhooks | undefined> {
  if (webhooks.length === 0) return undefined
  const { Webhooks: Opened } = await import('../../io/hooks/webhooks.ts')
  const sender = { host: core.announceIp || hostname(), port: core.announcePort || port }
  return new Opened(webhooks, { sender, logger, rng: rng.fork('webhooks') })
}

/** [black-box] Undefined if none is wanted. A Sentinel that cannot keep a record works without one. */
async function openRecord(
  file: SentinelFile,
  folder: string,
  logger: Logger,
): Promise<RecordFiles | undefined> {
  const groups = file.core.groups.length
  if (!keepsRecord(file.blackBox, 'sentinel', groups)) {
    if (file.blackBox.isOn === undefined) logger.log('notice', unasked(groups))
    return undefined
  }
  const { maxBytes, maxDays } = file.blackBox
  const warn = (text: string) => logger.log('warning', text)
  const place = `${resolve(folder, stateFileName(file))}.blackbox`
  const program = `vedette ${ownVersion()}`
  try {
    const { RecordFiles: Opened } = await import('../../io/blackbox/segment-writer.ts')
    const record = new Opened({ folder: place, maxBytes, maxDays, program, warn })
    process.once('exit', () => record.finish())
    return record
  } catch (error) {
    warn(`black box: nothing is recorded: ${place}: ${reasonOf(error)}`)
    return undefined
  }
}

function unasked(groups: number): string {
  return `black box: nothing is recorded: with ${groups} groups it takes black-box: yes in the configuration`
}

/** Throws a StartError if another process uses it, or it cannot be used. */
async function openState(path: string, logger: Logger): Promise<StateFile> {
  const warn = (text: string) => logger.log('warning', `state file: ${text}`)
  const stateFile = new StateFile(path, warn)
  const { missing } = await lockFile(path)
  if (missing !== undefined) {
    const consequence = 'nothing keeps a second Sentinel from using it'
    logger.log('warning', `state file ${path} cannot be locked (${missing}): ${consequence}`)
  }
  return stateFile
}

/** The state file; at the very first start, or after redis-sentinel has gone on, what it wrote into a sentinel.conf. */
function restore(
  stateFile: StateFile,
  { learnt }: SentinelFile,
  rng: Rng,
  logger: Logger,
): SavedState | undefined {
  const { saved, warning } = stateFile.load()
  if (warning !== undefined) logger.log('warning', `state file: ${warning}`)
  if (saved !== undefined) return goneOn(saved, learnt, logger) ?? saved
  if (learnt === undefined) return undefined
  logger.log(
    'notice',
    'no state file yet: what Redis has written into the configuration is taken over',
  )
  return toSavedState(learnt, () => rng.fork('import').hex(40))
}

function goneOn(saved: SavedState, learnt: SentinelFile['learnt'], logger: Logger) {
  const since = goneOnSince(saved, learnt)
  if (since !== undefined) logger.log('notice', GONE_ON)
  return since
}

const GONE_ON =
  'the configuration knows later epochs than the state file: redis-sentinel has gone on with it, and what it has written is taken over'

interface SentinelHttp {
  readonly file: SentinelFile
  readonly host: SentinelHost
  readonly tls: Tls
  readonly log: TlsLog
  /** What is measured from the start of the process on. */
  readonly meters: ProcessMeters
}

/** [http-port] Nothing of HTTP is loaded unless the port is set. Throws a StartError. */
async function openSentinelHttp(options: SentinelHttp): Promise<HttpServer | undefined> {
  const { file, host, tls, log, meters } = options
  if (file.http.port === 0) return undefined
  const { HttpServer } = await import('../../io/http/http-server.ts')
  const { SentinelSite } = await import('../../io/http/sentinel-site.ts')
  const { sentinelDocument } = await import('../../io/metrics/documents.ts')
  const version = ownVersion()
  const site = new SentinelSite(host, version, sentinelDocument(host, version, meters))
  return HttpServer.open({ http: file.http, bind: file.listen.bind, tls, site, log })
}

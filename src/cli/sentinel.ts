/** `vedette sentinel`: a Sentinel on real sockets, in the place of redis-sentinel. */
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import type { Rng } from '../base/rng.ts'
import { formatProblem, type Problem } from '../config/problem.ts'
import { type SentinelFile, stateFileName, toSavedState } from '../config/sentinel-file.ts'
import { checkSentinelAclFile } from '../core/access/access-start.ts'
import type { SavedState } from '../core/memory/saved.ts'
import { goToBackground, takeBackgroundMark } from '../io/background.ts'
import { readClock } from '../io/clock.ts'
import { listen } from '../io/listener.ts'
import { lockFile } from '../io/lock.ts'
import { exitAfter, type Logger, logCrashes, openLogger } from '../io/logger.ts'
import { processFacts } from '../io/process-facts.ts'
import { isSupervised } from '../io/readiness.ts'
import { SentinelHost } from '../io/sentinel-host.ts'
import { onReloadSignal, onStopSignal } from '../io/signals.ts'
import { StateFile } from '../io/state-file.ts'
import { Tls } from '../io/tls.ts'
import { inFolder } from '../io/tls-paths.ts'
import { openAclFile } from './acl-files.ts'
import { announceReady } from './attend.ts'
import { joinCluster } from './child.ts'
import { randomSeed } from './random.ts'
import { refuseStart } from './refuse.ts'
import { isYml, readSentinelFile, type SentinelSource } from './sentinel-config.ts'
import { Reloader } from './sentinel-reload.ts'

/** Undefined: it runs, and ends the process itself. */
export async function runSentinel(given: SentinelSource): Promise<number | undefined> {
  const source = { ...given, home: process.cwd() }
  const parsed = readSentinelFile(source)
  if (!parsed.ok) return refuseStart(parsed.problems, parsed.fatal)
  const isBackground = takeBackgroundMark()
  const { daemonize, supervised } = parsed.value
  if (daemonize && !isBackground && !isSupervised(supervised)) return goToBackground(source.stdin)
  const folder = goHome(parsed.value, source)
  await start({ file: parsed.value, folder, source, warnings: parsed.warnings, isBackground })
  return undefined
}

/**
 * Goes to `dir`, as Redis does, so that paths mean the same. A sentinel.yml names only the folder of the
 * state. Gives that folder.
 */
function goHome({ stateDir }: SentinelFile, { path, home }: Source): string {
  const folder = resolve(home, stateDir ?? dirname(path))
  if (stateDir !== undefined && !isYml(path)) process.chdir(folder)
  return folder
}

type Source = SentinelSource & { readonly home: string }

interface Start {
  readonly file: SentinelFile
  /** Of the state file. */
  readonly folder: string
  readonly source: Source
  readonly warnings: readonly Problem[]
  readonly isBackground: boolean
}

async function start({ file, folder, source, warnings, isBackground }: Start): Promise<void> {
  const { core, listen: where } = file
  const rng = randomSeed()
  const port = where.port || core.tlsPort
  const logger = await openLogger({
    level: file.logLevel,
    file: file.logFile,
    program: 'sentinel',
    port,
  })
  logCrashes(logger)
  for (const warning of warnings) logger.log('notice', formatProblem(warning))
  const acl = openAclFile(file.aclFile, process.cwd(), (found) => checkSentinelAclFile(found, core))
  const tls = new Tls(inFolder(file.tls, process.cwd()), (level, text) => logger.log(level, text))
  // The port before the state: whoever cannot have both leaves the state alone.
  const listener = await listen({ addresses: where.bind, port: where.port, tls })
  const stateFile = await openState(join(folder, stateFileName(file)), logger)
  joinCluster()
  const saved = restore(stateFile, file, rng, logger)
  logger.log('notice', `Running mode=sentinel, port=${port}.`)
  const host = new SentinelHost({
    start: {
      config: core,
      saved,
      rng,
      now: readClock(),
      process: processFacts(resolve(source.home, source.path), file.supervised),
      aclFile: acl,
      secret: randomBytes(32).toString('hex'),
    },
    aclFile: acl?.file,
    save: (state) => stateFile.save(state),
    logger,
    onExit: exitAfter(logger),
    localAddress: file.bindSourceAddr || undefined,
    outputLimitBytes: file.outputLimitBytes,
    tls,
  })
  tls.watch()
  listener.accept((socket) => host.accept(socket))
  onStopSignal(() => host.stop())
  const reloader = new Reloader({ source, running: file, host, tls, logger })
  onReloadSignal(() => reloader.reload())
  announceReady({ ...file, isBackground }, logger)
}

/** Throws a StartError when another process uses it, or it cannot be used. */
async function openState(path: string, logger: Logger): Promise<StateFile> {
  const stateFile = new StateFile(path)
  const { missing } = await lockFile(path)
  if (missing !== undefined) {
    const consequence = 'nothing keeps a second Sentinel from using it'
    logger.log('warning', `state file ${path} cannot be locked (${missing}): ${consequence}`)
  }
  return stateFile
}

/** The state file; on the very first start what a sentinel.conf has been told by Redis to remember. */
function restore(
  stateFile: StateFile,
  { learnt }: SentinelFile,
  rng: Rng,
  logger: Logger,
): SavedState | undefined {
  const { saved, warning } = stateFile.load()
  if (warning !== undefined) logger.log('warning', `state file: ${warning}; its copy is used`)
  if (saved !== undefined || learnt === undefined) return saved
  logger.log(
    'notice',
    'no state file yet: what Redis has written into the configuration is taken over',
  )
  return toSavedState(learnt, () => rng.fork('import').hex(40))
}

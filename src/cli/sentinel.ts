/** `vedette sentinel`: a Sentinel on real sockets, in the place of redis-sentinel. */
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import type { Rng } from '../base/rng.ts'
import { type SentinelFile, stateFileName, toSavedState } from '../config/sentinel-file.ts'
import type { SavedState } from '../core/saved.ts'
import { plainHost } from '../io/address.ts'
import { readClock } from '../io/clock.ts'
import { listen } from '../io/listener.ts'
import { exitAfter, type Logger, logCrashes, openLogger } from '../io/logger.ts'
import { SentinelHost } from '../io/sentinel-host.ts'
import { onStopSignal } from '../io/signals.ts'
import { StateFile } from '../io/state-file.ts'
import { joinCluster } from './child.ts'
import { randomSeed } from './random.ts'
import { EXIT_CONFIG, reportProblems } from './report.ts'
import { readSentinelFile } from './sentinel-config.ts'

/** Undefined: it runs, and ends the process itself. */
export async function runSentinel(
  path: string,
  overrides: readonly string[],
): Promise<number | undefined> {
  const parsed = readSentinelFile(path, overrides)
  if (!parsed.ok) {
    reportProblems(parsed.problems)
    return EXIT_CONFIG
  }
  reportProblems(parsed.warnings)
  await start(parsed.value, path)
  return undefined
}

async function start(file: SentinelFile, path: string): Promise<void> {
  const { core, listen: where } = file
  const rng = randomSeed()
  const logger = await openLogger({
    level: file.logLevel,
    file: file.logFile,
    program: 'sentinel',
    port: where.port,
  })
  logCrashes(logger)
  // The port before the state: two Sentinels on one state file would share a vote.
  const listener = await listen({ addresses: where.bind, port: where.port })
  const stateFile = new StateFile(join(file.stateDir ?? dirname(path), stateFileName(file)))
  joinCluster()
  const host = new SentinelHost({
    start: { config: core, saved: restore(stateFile, file, rng, logger), rng, now: readClock() },
    save: (state) => stateFile.save(state),
    logger,
    onExit: exitAfter(logger),
    localAddress: file.bindSourceAddr || undefined,
  })
  const isOpen = !where.protectedMode || core.requirepass !== ''
  listener.accept((socket) => (isOpen || isLocal(socket) ? host.accept(socket) : deny(socket)))
  onStopSignal(() => host.stop())
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
  return toSavedState(learnt, () => rng.fork('import').hex(40))
}

function isLocal(socket: Socket): boolean {
  const host = plainHost(socket.remoteAddress)
  return host.startsWith('127.') || host === '::1'
}

function deny(socket: Socket): void {
  socket.end(
    '-DENIED this Sentinel is in protected mode: it has no password, so it accepts connections ' +
      'from the loopback interface only.\r\n',
  )
}

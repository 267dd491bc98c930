/**
 * What the bins `vedette-sentinel` and `vedette-server` have in common with redis-sentinel and redis-server.
 */
import { REDIS_VERSION } from '../../server/version.ts'
import { outliveReader, watchOutput } from '../output.ts'
import { EXIT_FAILED, reportFailedStart, say } from '../report.ts'
import { ownVersion } from '../version.ts'
import { type RedisArguments, splitArguments } from './redis-arguments.ts'

/** Runs the program in this process; `--version` and `--help` are answered here. */
export async function runRedisProgram(
  args: readonly string[],
  help: string,
  run: (given: RedisArguments) => Promise<number | undefined>,
): Promise<void> {
  watchOutput()
  try {
    const status = answerAtOnce(args, help) ?? (await start(args, run))
    // At once: the handles that waited for the background process would keep this one alive.
    if (status !== undefined) process.exit(status)
  } catch (error) {
    process.exit(reportFailedStart(error))
  }
}

/** A service goes on even if its output is not read. */
function start(
  args: readonly string[],
  run: (given: RedisArguments) => Promise<number | undefined>,
): Promise<number | undefined> {
  outliveReader('server')
  return run(splitArguments(args))
}

/** The exit status if the arguments are no start; undefined for a start. */
function answerAtOnce(args: readonly string[], help: string): number | undefined {
  const [only] = args
  if (args.length === 1 && (only === '-v' || only === '--version')) {
    process.stdout.write(`${versionLine()}\n`)
    return 0
  }
  if (args.length === 1 && (only === '-h' || only === '--help')) {
    process.stdout.write(`${help}\n`)
    return 0
  }
  if (only === '--test-memory' || only === '--check-system') {
    say(`${only} is not offered: memtest86 and the documentation of your system tell more`)
    return EXIT_FAILED
  }
  return undefined
}

/** In the format that scripts parse, with the version of Redis that it behaves as. */
function versionLine(): string {
  return `Redis server v=${REDIS_VERSION} sha=00000000:0 malloc=v8 bits=64 build=vedette-${ownVersion()}`
}

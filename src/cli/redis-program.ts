/** What the bins `vedette-sentinel` and `vedette-server` have in common with redis-sentinel and redis-server. */
import { readFileSync } from 'node:fs'
import { REDIS_VERSION } from '../server/version.ts'
import { type RedisArguments, splitArguments } from './redis-arguments.ts'
import { EXIT_FAILED, reportFailure, say } from './report.ts'

interface PackageFile {
  readonly version: string
}

/** Runs the program in this process; `--version` and `--help` are answered here. */
export async function runRedisProgram(
  args: readonly string[],
  help: string,
  run: (given: RedisArguments) => Promise<number | undefined>,
): Promise<void> {
  try {
    const status = answerAtOnce(args, help) ?? (await run(splitArguments(args)))
    // At once: what waits for the one in the background would keep this one alive.
    if (status !== undefined) process.exit(status)
  } catch (error) {
    process.exit(reportFailure(error))
  }
}

/** The exit status, for what is no start; undefined for a start. */
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

/** In the form scripts take apart, with the Redis it behaves as. */
function versionLine(): string {
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  return `Redis server v=${REDIS_VERSION} sha=00000000:0 malloc=v8 bits=64 build=vedette-${version}`
}

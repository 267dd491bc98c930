/** What INFO says about this process. */
import { randomBytes } from 'node:crypto'
import { release, type } from 'node:os'
import type { ProcessFacts } from '../../core/report/process-facts.ts'

/** `configFile` as the user named it; empty if there is none. */
export function processFacts(
  told: Pick<ProcessFacts, 'configFile' | 'supervised' | 'version'>,
): ProcessFacts {
  return {
    ...told,
    pid: process.pid,
    runId: randomBytes(20).toString('hex'),
    os: operatingSystem(),
    archBits: process.arch === 'arm' || process.arch === 'ia32' ? 32 : 64,
    executable: ownFile(),
    cpuUsage: () => {
      const { system, user } = process.cpuUsage()
      return { systemSeconds: system / 1e6, userSeconds: user / 1e6 }
    },
  }
}

/** Name, release and hardware. */
export function operatingSystem(): string {
  return `${type()} ${release()} ${MACHINES[process.arch] ?? process.arch}`
}

/** The file of the program, not of the engine that runs it. */
export function ownFile(): string {
  return process.argv[1] ?? process.execPath
}

/** As `uname -m`, and so Redis, calls them. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64', ia32: 'i686' }

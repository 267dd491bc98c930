/**
 * A limit of memory as a container has it: a control group of the kernel, made below our own, in which a
 * program is started. It takes root and a kernel that lets us; whoever has neither gets undefined.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOTS = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']

export class MemoryGroup {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static create(name: string, bytes: number): MemoryGroup | undefined {
    for (const root of ROOTS) {
      const folder = join(root, ownGroup(root), name)
      try {
        mkdirSync(folder)
        const file = ['memory.limit_in_bytes', 'memory.max']
          .map((each) => join(folder, each))
          .find((each) => existsSync(each))
        if (file !== undefined) {
          writeFileSync(file, `${bytes}`)
          return new MemoryGroup(folder)
        }
        rmdirSync(folder)
      } catch {
        // Not here: read-only, not root, or no such controller.
      }
    }
    return undefined
  }

  /** The words of a command that starts `argv` inside. */
  enter(argv: readonly string[]): [command: string, argv: string[]] {
    const script = `echo $$ > '${join(this.#folder, 'cgroup.procs')}' && exec "$@"`
    return ['/bin/sh', ['-c', script, 'sh', ...argv]]
  }

  /** The programs in it must be gone. */
  remove(): void {
    rmdirSync(this.#folder)
  }
}

/** Where this process is below `root`. */
function ownGroup(root: string): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  const isFirst = root.endsWith('/memory')
  const line = lines.find((each) => (isFirst ? each.includes(':memory:') : each.startsWith('0::')))
  return line?.split(':').slice(2).join(':') ?? ''
}

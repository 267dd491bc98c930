/** [aclfile] The file users are read from, and written to by ACL SAVE. Its text is a byte string. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { replaceFileSync, replaceFiles } from './durable.ts'

export class AclFile {
  /** As the configuration names it, for texts. */
  readonly path: string
  readonly #place: string
  #writing: Promise<void> = Promise.resolve()

  /** A relative path starts at `folder`. */
  constructor(path: string, folder: string) {
    this.path = path
    this.#place = resolve(folder, path)
  }

  /** Rejects with an error whose message is the reason in a few words. */
  async read(): Promise<string> {
    return saying(() => readFile(this.#place, 'latin1'))
  }

  /** Resolves once it is safely on disk. One after the other: they go through one temporary file. */
  write(text: string): Promise<void> {
    const [folder, name] = [dirname(this.#place), basename(this.#place)]
    const written = this.#writing.then(() =>
      saying(() => replaceFiles(folder, [name], Buffer.from(text, 'latin1'))),
    )
    this.#writing = written.catch(() => undefined)
    return written
  }

  /** The same for those who cannot wait. */
  readSync(): string {
    return sayingSync(() => readFileSync(this.#place, 'latin1'))
  }

  writeSync(text: string): void {
    const [folder, name] = [dirname(this.#place), basename(this.#place)]
    sayingSync(() => replaceFileSync(folder, name, Buffer.from(text, 'latin1')))
  }
}

async function saying<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw new Error(systemReason(error))
  }
}

function sayingSync<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw new Error(systemReason(error))
  }
}

/** As C's strerror says it: `No such file or directory`. */
export function systemReason(error: unknown): string {
  const number = (error as NodeJS.ErrnoException).errno
  const [, text] = (number !== undefined && getSystemErrorMap().get(number)) || []
  if (text === undefined) return error instanceof Error ? error.message : String(error)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

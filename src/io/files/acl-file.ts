/** [aclfile] The file that users are read from, and that ACL SAVE writes. Its text is a byte string. */
import { basename, dirname, resolve } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { replaceFileSync, replaceFiles } from './durable.ts'
import { readText, readTextLater } from './text-file.ts'

export class AclFile {
  /** As in the configuration, for messages. */
  readonly path: string
  readonly #place: string
  #writing: Promise<void> = Promise.resolve()

  /** A relative path is relative to `folder`. */
  constructor(path: string, folder: string) {
    this.path = path
    this.#place = resolve(folder, path)
  }

  /** Rejects with an error whose message is the reason in a few words. */
  async read(): Promise<string> {
    return saying(() => readTextLater(this.#place))
  }

  /**
   * Resolves once the text is safely on disk. Writes happen one after the other, because they share
   * one temporary file.
   */
  write(text: string): Promise<void> {
    const [folder, name] = [dirname(this.#place), basename(this.#place)]
    const written = this.#writing.then(() =>
      saying(() => replaceFiles(folder, [name], Buffer.from(text, 'latin1'))),
    )
    this.#writing = written.catch(() => undefined)
    return written
  }

  /** The same, synchronously. */
  readSync(): string {
    return sayingSync(() => readText(this.#place, 'latin1'))
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

/** The reason in the words of C's strerror: `No such file or directory`. */
export function systemReason(error: unknown): string {
  const number = (error as NodeJS.ErrnoException).errno
  const [, text] = (number !== undefined && getSystemErrorMap().get(number)) || []
  if (text === undefined) return error instanceof Error ? error.message : String(error)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

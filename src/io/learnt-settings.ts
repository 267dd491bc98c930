/**
 * What CONFIG REWRITE keeps of a data node: the directives that differ from the user's file, in a file
 * beside it. The user's file itself is never written.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { readConfLines } from '../config/conf-lines.ts'
import type { SaveResult } from '../server/port.ts'
import { replaceFileSync } from './durable.ts'
import { reasonOf, StartError } from './start-error.ts'

const HEADER = `# Written by CONFIG REWRITE: what differs from the configuration file beside this one.
# Delete this file to go back to that one.
`

export class LearntSettings {
  readonly #path: string

  constructor(path: string) {
    this.#path = resolve(path)
  }

  /** Sets each directive that was kept; `set` gives the reason where it cannot. Throws a StartError then. */
  apply(set: (name: string, value: string) => string | undefined): void {
    const { lines, problems } = readConfLines(this.#read(), this.#path)
    if (problems.length > 0) throw this.#damaged('quotes are not balanced')
    for (const { directive, args } of lines) {
      const reason = set(directive, args.join(' '))
      if (reason !== undefined) throw this.#damaged(`${directive}: ${reason}`)
    }
  }

  save(settings: ReadonlyMap<string, string>): SaveResult {
    const lines = [...settings].map(([name, value]) => `${name} ${quote(value)}\n`)
    try {
      replaceFileSync(dirname(this.#path), basename(this.#path), HEADER + lines.join(''))
      return undefined
    } catch (error) {
      return `ERR Rewriting config file: ${reasonOf(error)}`
    }
  }

  #read(): string {
    try {
      return readFileSync(this.#path, 'latin1')
    } catch (error) {
      if (reasonOf(error) === 'ENOENT') return ''
      throw this.#damaged(reasonOf(error))
    }
  }

  #damaged(reason: string): StartError {
    return new StartError(
      'E_STATE_DAMAGED',
      `cannot take over the settings in ${this.#path}: ${reason}`,
      'mend that line, or delete the file to go back to the configuration file',
    )
  }
}

/** A word of a configuration line that reads back as exactly this byte string. */
function quote(value: string): string {
  const escaped = value.replace(/[\\"]|[^ -~]/g, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : `\\x${hex(char)}`,
  )
  return `"${escaped}"`
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0')
}

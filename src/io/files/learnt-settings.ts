/**
 * What CONFIG REWRITE keeps of a data node: the directives that differ from the user's file, in a file
 * beside it. The user's file itself is never written.
 *
 * Beside each directive stands what the user's file said of it. If that one says something else at a later start,
 * somebody has changed it since, and it counts, as it does where both are one file.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type ConfLine, readConfLines } from '../../config/conf-lines.ts'
import type { LearntUsers, SaveResult } from '../../server/port.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { replaceFileSync } from './durable.ts'

const HEADER = `# Written by CONFIG REWRITE: what differs from the configuration file beside this one.
# What has changed there since counts all the same. Delete this file to go back to that one.
`

export class LearntSettings {
  readonly #path: string
  readonly #userLines: (readonly string[])[] = []
  /** What counts of the file, as it stands there. */
  readonly #kept = new Map<string, string>()
  #filed: Filed = new Map()
  #changed: readonly string[] = []
  #basis = ''

  constructor(path: string) {
    this.#path = resolve(path)
  }

  /**
   * Sets each directive in the file of which the user's file says what it said then; `set` returns the reason if it
   * cannot, and then a StartError is thrown.
   */
  apply(filed: Filed, set: (name: string, value: string) => string | undefined): void {
    const { lines, problems } = readConfLines(withBases(this.#read()), this.#path)
    const [problem] = problems
    if (problem !== undefined) throw this.#damaged(problem.line, problem.message)
    this.#filed = filed
    this.#changed = changedSince(lines, filed)
    for (const { directive, args, line } of lines) {
      if (directive === INSTEAD_OF || this.#changed.includes(directive)) continue
      if (this.#takeUsers(directive, args)) continue
      this.#kept.set(directive, args.join(' '))
      const reason = set(directive, args.join(' '))
      if (reason !== undefined) throw this.#damaged(line, `${directive}: ${reason}`)
    }
  }

  /**
   * Takes what the user's file has changed out of this one: it must not count again when the user's file comes back to
   * what it said before. Returns lines for the log.
   */
  forgetChanged(): readonly string[] {
    if (this.#changed.length === 0) return []
    const names = this.#changed.join(', ')
    const fault = this.save(this.#kept, this.users)
    const told = `the configuration file has changed ${names} since CONFIG REWRITE, and counts`
    return fault === undefined ? [told] : [told, `${this.#path} still has ${names}: ${fault}`]
  }

  /** The users in the file; known after `apply`. */
  get users(): LearntUsers | undefined {
    return this.#basis === '' ? undefined : { basis: this.#basis, lines: this.#userLines }
  }

  /**
   * A line for the log: whoever edits the configuration file must hear that it does not count. `names`: what this
   * file sets otherwise; undefined if there is nothing.
   */
  notice(names: readonly string[]): string | undefined {
    if (names.length === 0) return undefined
    return (
      `${this.#path}, which CONFIG REWRITE wrote, sets ${names.join(', ')}: a line for that in the ` +
      'configuration file has no effect as long as the line there stays'
    )
  }

  save(settings: ReadonlyMap<string, string>, users: LearntUsers | undefined): SaveResult {
    const lines = [...settings].map(([name, value]) => this.#lines(name, value))
    try {
      const text = HEADER + lines.join('') + usersText(users)
      replaceFileSync(dirname(this.#path), basename(this.#path), text)
      return undefined
    } catch (error) {
      return `ERR Rewriting config file: ${reasonOf(error)}`
    }
  }

  #lines(name: string, value: string): string {
    const before = this.#filed.get(name)
    const basis = before === undefined ? name : `${name} ${quote(before)}`
    return `${name} ${quote(value)}\n# ${INSTEAD_OF} ${basis}\n`
  }

  /** False if the line is not about users. */
  #takeUsers(directive: string, args: readonly string[]): boolean {
    if (directive === BASIS) this.#basis = args[0] ?? ''
    else if (directive === 'user') this.#userLines.push(args)
    else return false
    return true
  }

  #read(): string {
    try {
      return readFileSync(this.#path, 'latin1')
    } catch (error) {
      if (reasonOf(error) === 'ENOENT') return ''
      throw this.#unreadable(reasonOf(error))
    }
  }

  #damaged(line: number | undefined, reason: string): StartError {
    return new StartError(
      'E_STATE_DAMAGED',
      `cannot take over the settings in ${this.#path}, line ${line}: ${reason}`,
      'mend that line, or delete the file to go back to the configuration file',
    )
  }

  #unreadable(reason: string): StartError {
    const what = reason === 'EISDIR' ? `it is a folder, not a file (${reason})` : reason
    return new StartError(
      'E_STATE_DAMAGED',
      `cannot read the settings that CONFIG REWRITE kept in ${this.#path}: ${what}`,
      reason === 'EISDIR' ? 'move the folder away' : `${MAY_READ}, or move the file away`,
    )
  }
}

/** What the lines of the user's file say, by directive. */
type Filed = ReadonlyMap<string, string>

/**
 * Before the directive and what the user's file said of it, or nothing. Files of earlier versions lack it: what they
 * have counts.
 */
const INSTEAD_OF = 'learnt-instead-of'

/**
 * They stand in comments, so that an earlier version starts with the file: to one that does not know the directive,
 * the node would otherwise be lost on the way back.
 */
function withBases(text: string): string {
  return text.replace(BASIS_COMMENTS, INSTEAD_OF)
}

const BASIS_COMMENTS = new RegExp(`^# ${INSTEAD_OF}(?= )`, 'gm')

function changedSince(lines: readonly ConfLine[], filed: Filed): readonly string[] {
  return lines.flatMap(({ directive, args: [name = '', before] }) =>
    directive === INSTEAD_OF && filed.get(name) !== before ? [name] : [],
  )
}

const MAY_READ = 'let the user of this process read it (chown, chmod)'

/** A directive that no other program knows, so that the file cannot be mistaken for a redis.conf. */
const BASIS = 'learnt-users-basis'

function usersText(users: LearntUsers | undefined): string {
  if (users === undefined) return ''
  const lines = users.lines.map((line) => `user ${line.map(quote).join(' ')}\n`)
  return `${BASIS} ${users.basis}\n${lines.join('')}`
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

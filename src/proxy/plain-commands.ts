/**
 * Reads and writes that a client sends in one piece go on in one piece, and so do their answers: as long as a server
 * carries them out, none of them needs a look of its own. Only when one is answered with an error, or will not be
 * answered, such a run is cut into its commands, and each is treated as if it had come alone.
 *
 * What is not understood here at first sight is left to `Requests`, which knows every form and every fault.
 */
import { type Asked, newAsked } from './asked.ts'
import type { CommandKinds, PlainKind } from './command-kinds.ts'
import type { RunCutter } from './in-flight.ts'
import { type PlainScan, Requests } from './requests.ts'

const ASTERISK = 42
const DOLLAR = 36
const DIGIT_0 = 48
const CR = 13
const LF = 10
const MAX_ARGUMENTS = 1_024
const MAX_NAME_BYTES = 32
/** A longer number has a sign, leading zeros, or too much behind it to be whole here. */
const MAX_NUMBER = 1_000_000

/** One for all sessions: it keeps nothing of a client. */
export class PlainCommands implements PlainScan, RunCutter {
  readonly #kinds: CommandKinds
  #text = ''
  #at = 0
  /** The last name that was looked up: in a pipeline it is mostly the next one, too. */
  #name = ' '
  #kind: PlainKind = 'write'
  /** How many the last scan found. */
  count = 0
  /** What they are; of several, `run`. */
  kind: PlainKind | 'run' = 'run'

  constructor(kinds: CommandKinds) {
    this.#kinds = kinds
  }

  scan(text: string, from: number, max: number): number {
    this.#text = text
    this.#at = from
    let end = from
    this.count = 0
    while (this.count < max && this.#skipCommand()) {
      end = this.#at
      this.count++
      // Now, because the next one may be known by its name and not be whole.
      this.kind = this.count === 1 ? this.#kind : 'run'
    }
    this.#text = ''
    return end
  }

  /** The commands of a run that have not been answered. */
  cut({ bytes = '', left }: Asked): readonly Asked[] {
    const requests = new Requests()
    requests.push(bytes)
    const commands: Asked[] = []
    for (let next = requests.next(); next?.kind === 'command'; next = requests.next()) {
      const { name, bytes: own } = next
      commands.push(newAsked({ kind: this.#kinds.of(name), bytes: own, argv: undefined }))
    }
    return commands.slice(commands.length - left)
  }

  #skipCommand(): boolean {
    const words = this.#number(ASTERISK)
    if (words < 1 || words > MAX_ARGUMENTS || !this.#skipName()) return false
    const { length } = this.#text
    for (let word = 1; word < words; word++) {
      const bytes = this.#number(DOLLAR)
      if (bytes < 0) return false
      this.#at += bytes + 2
      if (this.#at > length) return false
    }
    return true
  }

  #skipName(): boolean {
    const bytes = this.#number(DOLLAR)
    const from = this.#at
    this.#at += bytes + 2
    if (bytes < 1 || bytes > MAX_NAME_BYTES || this.#at > this.#text.length) return false
    if (bytes === this.#name.length && this.#text.startsWith(this.#name, from)) return true
    const name = this.#text.slice(from, from + bytes)
    const kind = this.#kinds.plain(name)
    if (kind === undefined) return false
    this.#name = name
    this.#kind = kind
    return true
  }

  /** The number of this type at the present place, read past its line end; -1 if there is no usual one. */
  #number(type: number): number {
    const text = this.#text
    let at = this.#at
    if (text.charCodeAt(at) !== type) return -1
    let value = 0
    let digit = text.charCodeAt(++at) - DIGIT_0
    if (!(digit >= 0 && digit <= 9)) return -1
    // A server refuses zeros before a number.
    if (digit === 0 && text.charCodeAt(at + 1) !== CR) return -1
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      if (value > MAX_NUMBER) return -1
      digit = text.charCodeAt(++at) - DIGIT_0
    }
    if (digit !== CR - DIGIT_0 || text.charCodeAt(at + 1) !== LF) return -1
    this.#at = at + 2
    return value
  }
}

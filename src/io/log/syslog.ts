/**
 * [syslog-enabled] Log lines to the system's log as well, through the program `logger` of util-linux: Node
 * cannot write to a datagram socket of the file system, where syslog listens.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { oneLine } from '../../base/one-line.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { LogLevel } from '../../core/log-level.ts'

export interface SyslogOptions {
  /** [syslog-ident] */
  readonly ident: string
  /** [syslog-facility] `user` or `local0` to `local7`. */
  readonly facility: string
  /** Told once, in words, if lines do not get there. */
  readonly onTrouble: (reason: string) => void
}

/** By their numbers in RFC 5424. */
const SEVERITIES: Readonly<Record<LogLevel, number>> = {
  debug: 7,
  verbose: 6,
  notice: 5,
  warning: 4,
}
const USER = 1
const LOCAL0 = 16

/** What waits for `logger` beyond this is lost: a log must not fill the memory. */
const MAX_WAITING_BYTES = 1024 * 1024

export class Syslog {
  readonly #facility: number
  readonly #onTrouble: (reason: string) => void
  #child: ChildProcess | undefined

  constructor({ ident, facility, onTrouble }: SyslogOptions) {
    this.#facility = facility === 'user' ? USER : LOCAL0 + Number(facility.slice(-1))
    this.#onTrouble = onTrouble
    const child = spawn('logger', ['--tag', ident, '--id', '--prio-prefix'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#child = child
    child.on('error', ({ message }) => this.#lose(message))
    child.on('exit', () => this.#lose('the program `logger` has ended'))
    child.stdin.on('error', () => undefined)
    // It must not keep alive a process that has nothing left to do.
    child.unref()
  }

  write(level: LogLevel, text: string): void {
    const stdin = this.#child?.stdin
    if (!stdin || stdin.writableLength > MAX_WAITING_BYTES) return
    const priority = 8 * this.#facility + SEVERITIES[level]
    stdin.write(`<${priority}>${oneLine(utf8Text(text))}\n`)
  }

  #lose(reason: string): void {
    if (this.#child === undefined) return
    this.#child = undefined
    this.#onTrouble(`nothing goes to syslog any more: ${reason}`)
  }
}

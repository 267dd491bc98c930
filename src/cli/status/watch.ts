/**
 * `vedette status --watch`: a look a second. On a terminal the picture stands still and changes in place,
 * until q or Ctrl-C, and what has no room is counted; elsewhere each look is written out, for a log or a script.
 */
import { setTimeout } from 'node:timers/promises'
import { createLogUpdate } from 'log-update'
import { colors as pc } from '../colors.ts'
import { printJsonText } from '../json-answer.ts'
import { Keyboard } from '../keyboard.ts'
import { drawsInPlace } from '../terminal.ts'
import { statusJson } from './json.ts'
import type { StatusReport } from './judge.ts'
import { statusPicture, statusText } from './text.ts'

const WATCH_MS = 1_000
/** The rows below the picture: a blank one, the time, and that of the cursor. */
const BELOW = 3

/** Resolves to the last look; undefined if the user did not wait for the first. */
export async function watchStatus(
  look: () => Promise<StatusReport>,
  isJson: boolean,
): Promise<StatusReport | undefined> {
  const output = drawsInPlace(process.stdout) && !isJson ? new Screen() : new Lines(isJson)
  const end = new WatchEnd()
  let last: StatusReport | undefined
  try {
    for (;;) {
      const report = await end.or(look())
      if (report === undefined) return last
      last = report
      output.show(report)
      await end.or(setTimeout(WATCH_MS))
    }
  } finally {
    output.close()
    end.close()
  }
}

class Lines {
  readonly #isJson: boolean

  constructor(isJson: boolean) {
    this.#isJson = isJson
  }

  show(report: StatusReport): void {
    if (this.#isJson) printJsonText(`${statusJson(report)}\n`)
    else process.stdout.write(`${statusText(report)}\n\n`)
  }

  close(): void {}
}

class Screen {
  readonly #draw = createLogUpdate(process.stdout)
  readonly #onResize = () => this.#paint()
  #report: StatusReport | undefined
  #time = ''

  constructor() {
    process.stdout.on('resize', this.#onResize)
  }

  show(report: StatusReport): void {
    this.#report = report
    this.#time = new Date().toTimeString().slice(0, 8)
    this.#paint()
  }

  close(): void {
    process.stdout.off('resize', this.#onResize)
    this.#draw.done()
  }

  #paint(): void {
    if (this.#report === undefined) return
    const { columns, rows } = process.stdout
    const picture = statusPicture(this.#report, columns || undefined, rows - BELOW)
    this.#draw(`${picture}\n\n${pc.dim(`${this.#time}  every second; q ends`)}`)
  }
}

/** The wish of the user to end, by a key or by a signal. */
export class WatchEnd {
  readonly #keyboard: Keyboard | undefined
  #isWanted = false
  #tell: () => void = () => undefined
  readonly #want = () => {
    this.#isWanted = true
    this.#tell()
  }

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, this.#want)
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY
    const onKey = (key: string) => key === 'q' && this.#want()
    this.#keyboard = isTerminal ? new Keyboard(process.stdin, onKey) : undefined
  }

  /**
   * What comes; undefined if the user wishes to end before. Promise.race() with one promise for the wish would keep all
   * that ever came, until the wish comes.
   */
  or<T>(coming: Promise<T>): Promise<T | undefined> {
    if (this.#isWanted) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#tell = () => resolve(undefined)
      coming.then(resolve, reject)
    })
  }

  close(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.#want)
    this.#keyboard?.close()
  }
}

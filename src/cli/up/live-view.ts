/** The live view: the picture, redrawn when something changes, and the keys. */

import { createLogUpdate } from 'log-update'
import { Keyboard } from '../keyboard.ts'
import { drawLive } from './live-text.ts'
import type { ClusterModel } from './model.ts'
import type { View, ViewOptions } from './view.ts'

/** A faster redraw would not be seen. */
const REDRAW_MS = 80
/** The clock ticks even if nothing happens. */
const TICK_MS = 1_000

export class LiveView implements View {
  readonly #model: ClusterModel
  readonly #options: ViewOptions
  readonly #draw = createLogUpdate(process.stdout)
  readonly #keyboard: Keyboard
  readonly #tick: NodeJS.Timeout
  readonly #startedAtMs = performance.now()
  readonly #onResize = () => this.changed()
  #redraw: NodeJS.Timeout | undefined

  constructor(model: ClusterModel, options: ViewOptions) {
    this.#model = model
    this.#options = options
    this.#keyboard = new Keyboard(process.stdin, options.onKey)
    process.stdout.on('resize', this.#onResize)
    this.#tick = setInterval(() => this.#paint(), TICK_MS)
    this.#paint()
  }

  ready(): void {
    this.changed()
  }

  changed(): void {
    this.#redraw ??= setTimeout(() => this.#paint(), REDRAW_MS)
  }

  close(): void {
    clearTimeout(this.#redraw)
    clearInterval(this.#tick)
    process.stdout.off('resize', this.#onResize)
    this.#paint()
    this.#draw.done()
    this.#keyboard.close()
  }

  #paint(): void {
    this.#redraw = undefined
    const { columns, rows } = process.stdout
    const { title } = this.#options
    const hints = this.#options.hints()
    const uptimeMs = performance.now() - this.#startedAtMs
    const writes = this.#options.writes()
    this.#draw(drawLive(this.#model, { columns, rows, title, hints, uptimeMs, writes }))
  }
}

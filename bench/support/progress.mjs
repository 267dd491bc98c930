/**
 * How far a benchmark is: one line on a terminal, otherwise a line for each step. Never mixed with the
 * results.
 */
import { createLogUpdate } from 'log-update'

const TICK_MS = 200

/** `total` steps; `begin(text)` starts the next one. */
export function openProgress(total) {
  const startedMs = performance.now()
  const secondsSince = () => Math.floor((performance.now() - startedMs) / 1000)
  const show = process.stderr.isTTY ? openLine(secondsSince) : openList(secondsSince)
  let step = 0
  return {
    begin(what) {
      step++
      show.step(`${step}/${total} · ${what}`)
    },
    close: () => show.close(),
  }
}

function openLine(secondsSince) {
  const line = createLogUpdate(process.stderr)
  let text = 'starting'
  const draw = () => line(`${text} · ${secondsSince()} s`)
  const timer = setInterval(draw, TICK_MS)
  return {
    step(what) {
      text = what
      draw()
    },
    close() {
      clearInterval(timer)
      line.clear()
      line.done()
    },
  }
}

function openList(secondsSince) {
  return { step: (what) => console.error(`${what} · ${secondsSince()} s`), close() {} }
}

/** One line that says how far a benchmark is; on a terminal only, and never among the results. */
import { createLogUpdate } from 'log-update'

const TICK_MS = 200

/** `total` steps; `begin(text)` starts the next one. */
export function openProgress(total) {
  if (!process.stderr.isTTY) return { begin() {}, close() {} }
  const line = createLogUpdate(process.stderr)
  const startedMs = performance.now()
  let step = 0
  let text = 'starting'
  const draw = () => {
    const seconds = Math.floor((performance.now() - startedMs) / 1000)
    line(`${step}/${total} · ${text} · ${seconds} s`)
  }
  const timer = setInterval(draw, TICK_MS)
  return {
    begin(what) {
      step++
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

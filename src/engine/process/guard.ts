/** Worlds that are open when this process is told to end, or ends by itself, end with it. */
import { removeOurs } from './machine.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

let open = 0

export function guardWorld(): void {
  open++
  if (open > 1) return
  process.on('exit', removeOurs)
  for (const signal of SIGNALS) process.on(signal, endWith)
}

export function releaseWorld(): void {
  open--
  if (open > 0) return
  process.off('exit', removeOurs)
  for (const signal of SIGNALS) process.off(signal, endWith)
}

/** Cleans up, then lets the signal do what it would have done without us. */
function endWith(signal: NodeJS.Signals): void {
  removeOurs()
  process.off('exit', removeOurs)
  for (const one of SIGNALS) process.off(one, endWith)
  process.kill(process.pid, signal)
}

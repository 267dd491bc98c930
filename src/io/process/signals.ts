/**
 * How a daemon is told to stop: by a signal or, when it belongs to a demonstration cluster, by the end
 * of the parent that started it.
 */

import { endProcess } from './process-end.ts'

/** Calls `stop` on the first SIGTERM or SIGINT; a second one ends the process on the spot. */
export function onStopSignal(stop: () => void): void {
  let isStopping = false
  const handle = () => {
    if (isStopping) endProcess(1)
    isStopping = true
    stop()
  }
  process.on('SIGTERM', handle)
  process.on('SIGINT', handle)
}

/** Calls `stop` on every SIGTERM and SIGINT: the caller decides what a second one means. */
export function onEveryStopSignal(stop: (signal: 'SIGTERM' | 'SIGINT') => void): void {
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
}

/** Calls `reload` on SIGHUP. A terminal that closes sends it too, which is no reason for a daemon to end. */
export function onReloadSignal(reload: () => void): void {
  process.on('SIGHUP', reload)
}

/** Ends the process as soon as the parent has ended, however it did. */
export function dieWithParent(): void {
  process.on('disconnect', () => process.exit(0))
}

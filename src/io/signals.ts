/**
 * How a daemon is told to stop: by a signal or, when it belongs to a demonstration cluster, by the end
 * of the parent that started it.
 */

/** Calls `stop` on the first SIGTERM or SIGINT; a second one ends the process on the spot. */
export function onStopSignal(stop: () => void): void {
  let isStopping = false
  const handle = () => {
    if (isStopping) process.exit(1)
    isStopping = true
    stop()
  }
  process.on('SIGTERM', handle)
  process.on('SIGINT', handle)
  // A terminal that goes away is no reason for a daemon to go.
  process.on('SIGHUP', () => undefined)
}

/** Ends the process as soon as the parent has gone, however it went. */
export function dieWithParent(): void {
  process.on('disconnect', () => process.exit(0))
}

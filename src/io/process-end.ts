import { lookupsUnderWay } from './name-lookups.ts'

/**
 * Ends this process at once. An ordinary exit waits for Node's threads, and one that looks up a host name
 * comes back only when the name server answers or its time is up: for all that while nobody would serve
 * our port, and nobody else could. Then we end by the signal that asks for it, of whose default action
 * no thread is asked; whoever started us sees that instead of the status.
 */
export function endProcess(status: number): never {
  if (lookupsUnderWay() > 0) {
    // What is put in order at an exit is put in order all the same.
    process.emit('exit', status)
    process.removeAllListeners('SIGTERM')
    process.kill(process.pid, 'SIGTERM')
  }
  process.exit(status)
}

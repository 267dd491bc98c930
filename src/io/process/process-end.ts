import { lookupsUnderWay } from '../network/name-lookups.ts'

/**
 * Ends this process at once. An ordinary exit waits for Node's threads, and one that looks up a host name
 * returns only when the name server answers or its time is up: until then no process would serve our
 * port, and none could take it over. In that case we end by SIGTERM, whose default action waits for no
 * thread; the parent sees the signal instead of the status.
 */
export function endProcess(status: number): never {
  if (lookupsUnderWay() > 0) {
    // The exit handlers run in this case too.
    process.emit('exit', status)
    process.removeAllListeners('SIGTERM')
    process.kill(process.pid, 'SIGTERM')
  }
  process.exit(status)
}

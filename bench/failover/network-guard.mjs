/**
 * Removes our network namespaces if we cannot: a small shell that waits at the other end of a pipe,
 * which ends with us, however that happens. The namespaces take their links with them.
 */
import { spawn } from 'node:child_process'

/** `$1` is our process id, which all our names contain; processes in a namespace keep it alive. */
const SCRIPT = `
trap '' INT TERM HUP
while read -r _; do :; done
for path in /run/netns/vdt"$1".*; do
  [ -e "$path" ] || continue
  name=\${path##*/}
  for pid in $(ip netns pids "$name"); do kill -9 "$pid"; done
  ip netns delete "$name"
done
`

export function guardNetworks(pid = process.pid) {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'bench-network-guard', String(pid)], {
    // A session of its own: Ctrl-C at the terminal must not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.stdin.on('error', () => undefined)
  return { close: () => shell.stdin.end() }
}

/** Starts a data node or a Sentinel of either family, from the same configuration file. `preload`: a module that ours loads first. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOOPBACK } from './host.mjs'
import { commandFor, programName } from './programs.mjs'

/** `lines` are directives in addition to port, bind and dir. Returns `{ host, port, member, again }`; `again` starts it anew. */
export function startDaemon(workshop, { lines, ...rest }) {
  const file = rest.role === 'sentinel' ? 'sentinel.conf' : 'redis.conf'
  return launch(workshop, { ...rest, file, text: (base) => joined([...confHead(base), ...lines]) })
}

/**
 * Starts a Sentinel for `groups`, each `{ name, ip, port, quorum, downAfterMs, failoverTimeoutMs }`, a
 * strict one also `{ replication: 'strict', voters }`. The contender's detection decides which file it gets: only sentinel.yml knows evidence.
 */
export function startSentinel(workshop, { contender, groups, ...rest }) {
  const daemon = { family: contender.sentinel, role: 'sentinel', ...rest }
  if (contender.detection !== 'evidence') {
    return startDaemon(workshop, { ...daemon, lines: groups.flatMap(confLines) })
  }
  const text = ({ host, port }) => joined([...ymlHead(host, port), ...groups.flatMap(ymlLines)])
  return launch(workshop, { ...daemon, file: 'sentinel.yml', text })
}

/** For all data nodes: no snapshots on disk, and no waiting for more replicas to ask. */
export const NODE_LINES = ['save ""', 'repl-diskless-sync-delay 0']

function launch(workshop, { family, role, port, name, host = LOOPBACK, file, text, preload }) {
  const folder = workshop.createFolder(join(name, String(port)))
  const path = join(folder, file)
  writeFileSync(path, text({ host, port, folder }))
  const title = `${programName(family, role)} ${port}`
  const { command, args } = commandFor(family, role, path)
  const all = preload === undefined ? args : ['--import', preload, ...args]
  const again = () => workshop.spawn({ title, folder, host, command, args: all })
  return { host, port, folder, member: again(), again }
}

/** Without protected mode, because the clients may be on other hosts. */
function confHead({ host, port, folder }) {
  return [`port ${port}`, `bind ${host.ip}`, `dir ${folder}`, 'protected-mode no']
}

function confLines({ name, ip, port, quorum, downAfterMs, failoverTimeoutMs }) {
  return [
    `sentinel monitor ${name} ${ip} ${port} ${quorum}`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} ${failoverTimeoutMs}`,
    `sentinel parallel-syncs ${name} 1`,
  ]
}

function ymlHead({ ip }, port) {
  return [`port: ${port}`, `bind: ${ip}`, 'protected-mode: no', 'groups:']
}

function ymlLines({ name, ip, port, quorum, downAfterMs, failoverTimeoutMs, ...rest }) {
  const { replication, voters = [] } = rest
  const strict = [
    '    replication: strict',
    `    voters: [${voters.map((voter) => `"${voter}"`).join(', ')}]`,
  ]
  return [
    `  ${name}:`,
    `    master: ${ip}:${port}`,
    `    quorum: ${quorum}`,
    '    detection: evidence',
    `    down-after: ${downAfterMs}ms`,
    `    failover-timeout: ${failoverTimeoutMs}ms`,
    '    parallel-syncs: 1',
    ...(replication === 'strict' ? strict : []),
  ]
}

function joined(lines) {
  return `${lines.join('\n')}\n`
}

/** The configuration of each member, as an operator would write it. */

import { quoted } from '../../base/quote.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import { GROUP_OPTIONS } from '../../core/group-options.ts'
import { type DemoLayout, HOST, type Place, pagePort } from './layout.ts'
import type { GroupRules } from './rules.ts'

export const GROUP = 'mymaster'

/**
 * A redis.conf. All nodes but the first start as replicas of the first. `folder` is for the data,
 * if the node writes any.
 */
export function redisConf(place: Place, master: Place, folder: string): string {
  const lines = [
    `port ${place.port}`,
    `bind ${HOST}`,
    // Members connect from other loopback addresses, which Redis does not count as local.
    'protected-mode no',
    `replica-announce-ip ${HOST}`,
    'save ""',
    // For a BGSAVE, or an append-only file switched on later: no node finds the data of another.
    `dir ${quoted(utf8Bytes(folder))}`,
  ]
  if (place.sourceAddress !== undefined) lines.push(`bind-source-addr ${place.sourceAddress}`)
  if (place.port !== master.port) lines.push(`replicaof ${HOST} ${master.port}`)
  return `${lines.join('\n')}\n`
}

/** A sentinel.yml. */
export function sentinelYml(place: Place, layout: DemoLayout, rules: GroupRules): string {
  const { periods } = rules
  const lines = [
    `port: ${place.port}`,
    `bind: ${HOST}`,
    `announce-ip: ${HOST}`,
    // The page; without a token nothing can be steered there.
    `http-port: ${pagePort(place.port)}`,
    `sentinels: ${layout.sentinels.length}`,
    'groups:',
    `  ${GROUP}:`,
    `    master: ${HOST}:${layout.nodes[0]?.port}`,
    `    quorum: ${rules.quorum}`,
    `    ${GROUP_OPTIONS.downAfterMs.yml}: ${rules.downAfterMs}ms`,
    `    ${GROUP_OPTIONS.failoverTimeoutMs.yml}: ${rules.failoverTimeoutMs}ms`,
    `    ${GROUP_OPTIONS.parallelSyncs.yml}: ${rules.parallelSyncs}`,
    'periods:',
    `  info: ${periods.infoMs}ms`,
    `  ping: ${periods.pingMs}ms`,
    `  ask: ${periods.askMs}ms`,
    `  hello: ${periods.helloMs}ms`,
    `  tilt-trigger: ${periods.tiltTriggerMs}ms`,
    `  tilt: ${periods.tiltMs}ms`,
    `  slave-reconf-timeout: ${periods.slaveReconfTimeoutMs}ms`,
    `  min-link-reconnect: ${periods.minLinkReconnectMs}ms`,
    `  election-timeout: ${periods.electionTimeoutMs}ms`,
  ]
  if (place.sourceAddress !== undefined) lines.push(`bind-source-addr: ${place.sourceAddress}`)
  return `${lines.join('\n')}\n`
}

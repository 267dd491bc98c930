/**
 * Telling everyone which node is the master: every two seconds, and at once when there is news. The
 * hello goes through the master and the replicas, where all Sentinels listen, and straight to every
 * peer, because at the moment that matters most the data nodes may be the ones that cannot be
 * reached.
 */
import type { SentinelConfig } from '../config.ts'
import { holdsHellos } from '../failover/node-failover-report.ts'
import { follows } from '../failover/slaveof.ts'
import { nextRoundMs } from '../grid.ts'
import { isBackedUp } from '../links/links.ts'
import { shownHost } from '../names/names.ts'
import type { Connection, Group, Instance, State, Turn } from '../state.ts'
import { commandLink, currentMaster, instancesOf, isSdown } from '../state.ts'
import { send } from '../turn.ts'
import { noteAnnounced } from './clones.ts'
import { formatHello, HELLO_CHANNEL } from './hello-format.ts'

/**
 * The periodic round of one instance. An instance that has not answered the last hello is not sent
 * another.
 */
export function keepTold(turn: Turn, instance: Instance): void {
  if (!instance.helloPending && !hearsFromMaster(turn, instance)) sendHello(turn, instance)
  scheduleHello(turn, instance)
}

/**
 * A replica passes on what is published at its master, like any write: Sentinels that listen there would
 * hear our hello twice if we published it there as well. As long as its channel is alive, once is enough;
 * news goes everywhere.
 */
function hearsFromMaster({ state, now }: Turn, instance: Instance): boolean {
  if (instance.kind !== 'replica' || !instance.masterLinkUp) return false
  const { master } = instance.group
  if (isSdown(master) || commandLink(master) === undefined || master.helloPending) return false
  const isAlive = now.monoMs - instance.link.pubsubActiveAtMs <= state.config.periods.helloMs
  return isAlive && follows(state, instance, master)
}

function scheduleHello({ state, now }: Turn, instance: Instance): void {
  const { helloMs } = state.config.periods
  state.timers.set(instance, 'hello', nextRoundMs(now.monoMs, helloMs, state.slot + instance.slot))
}

export function sendHello(turn: Turn, instance: Instance): void {
  const connection = commandLink(instance)
  if (connection === undefined || isBackedUp(connection) || holdsHellos(turn, instance)) return
  instance.helloPending = true
  const payload = ownHello(turn.state, instance.group, connection)
  const purpose = { kind: 'hello', group: instance.group.config.name } as const
  send(turn, connection, purpose, ['PUBLISH', HELLO_CHANNEL, payload])
}

/** News: sends a hello to every instance now. */
export function sendHelloToAll(turn: Turn, group: Group): void {
  for (const instance of instancesOf(group)) sendHello(turn, instance)
}

function ownHello(state: State, group: Group, connection: Connection): string {
  const master = currentMaster(group)
  const host = state.config.announceIp || connection.localHost
  const port = announcedPort(state.config)
  noteAnnounced(state, host, port)
  return formatHello({
    host,
    port,
    runId: state.myid,
    currentEpoch: state.currentEpoch,
    group: group.config.name,
    masterHost: shownHost(state, master.host),
    masterPort: master.port,
    configEpoch: group.configEpoch,
  })
}

/** Behind a NAT peers reach us on another port than ours; and they use TLS if we do. */
function announcedPort({ announcePort, tlsReplication, tlsPort, port }: SentinelConfig): number {
  return announcePort || (tlsReplication && tlsPort) || port
}

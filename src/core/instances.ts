/**
 * Makes and removes the records of masters, replicas and peers. A new instance starts with a PING
 * pending since its creation, so an address that never answers becomes S_DOWN like one that
 * stopped.
 */
import { hostAndPort } from '../base/ip.ts'
import { WELL } from './detection/write-faults.ts'
import { nextRoundMs, slotOf } from './grid.ts'
import { createLink, openLinks, releaseLink } from './links/links.ts'
import { sameHost } from './names/names.ts'
import type { Group, Instance, InstanceBase, Master, Peer, Replica, State, Turn } from './state.ts'

export function createMaster(group: Group, nowMs: number): Master {
  const { name, host, port } = group.config
  return {
    kind: 'master',
    ...instanceBase(group, name, host, port, nowMs),
    ...dataBase(nowMs, 'master'),
    newLifeAtMs: undefined,
    rebootedAtMs: undefined,
    gray: undefined,
    emptiedAtMs: undefined,
    refusal: undefined,
  }
}

export function createReplica(group: Group, host: string, port: number, nowMs: number): Replica {
  return {
    kind: 'replica',
    ...instanceBase(group, hostAndPort(host, port), host, port, nowMs),
    ...dataBase(nowMs, 'slave'),
    priority: 100,
    offset: 0,
    unapplied: 0,
    masterHost: '?',
    masterPort: 0,
    masterLinkUp: false,
    masterLinkDownMs: 0,
    masterChangedAtMs: nowMs,
    announced: true,
    guard: undefined,
    reconf: 'none',
    reconfSentAtMs: nowMs,
    promoted: false,
    disobeyed: false,
    toldAtMs: undefined,
    deposed: undefined,
  }
}

export function createPeer(
  group: Group,
  runId: string,
  host: string,
  port: number,
  nowMs: number,
): Peer {
  return {
    kind: 'sentinel',
    ...instanceBase(group, runId, host, port, nowMs),
    runId,
    isProven: false,
    isSettled: false,
    masterDown: false,
    opinionAtMs: undefined,
    askPending: false,
    vote: undefined,
    confers: undefined,
    conferPending: false,
    counsel: undefined,
    reached: 0,
    heldPause: '',
    sharesPauses: undefined,
    helloReceivedAtMs: nowMs,
    helloConfigEpoch: 0,
    helloMaster: undefined,
  }
}

/**
 * Starts watching an instance: opens its connections, and sets the deadline by which it must have
 * answered.
 */
export function watch(turn: Turn, instance: Instance): void {
  const { link } = instance
  link.owners = [...link.owners, instance]
  openLinks(turn, link)
  const { timers, config } = turn.state
  timers.set(link, 'ping', turn.now.monoMs)
  const slot = turn.state.slot + instance.slot
  timers.set(instance, 'hello', nextRoundMs(turn.now.monoMs, config.periods.helloMs, slot))
  // A shared link may have owed an answer for some time already.
  const owedSinceMs = link.pingPendingSinceMs ?? turn.now.monoMs
  timers.set(instance, 'down', owedSinceMs + instance.group.config.downAfterMs + 1)
}

/**
 * Stops watching an instance: closes its connections, clears its deadlines; what still arrives does
 * not find it.
 */
export function unwatch(turn: Turn, instance: Instance): void {
  releaseLink(turn, instance)
  turn.state.timers.clearAll(instance)
}

/** The groups whose configured master has this address: the wire names masters by address, and not by group. */
export function groupsByMasterAddress(state: State, host: string, port: number): readonly Group[] {
  return [...state.groups.values()].filter(
    ({ config }) => config.port === port && sameHost(state, config.host, host),
  )
}

function instanceBase(
  group: Group,
  name: string,
  host: string,
  port: number,
  nowMs: number,
): InstanceBase {
  return {
    group,
    name,
    host,
    port,
    runId: '',
    link: createLink(nowMs),
    deadlines: new Map(),
    sdownSinceMs: undefined,
    lastSdownAtMs: undefined,
    sdownEndedAtMs: undefined,
    scriptKillSent: false,
    helloPending: false,
    slot: group.slots.get(name) ?? slotOf(`${group.config.name} ${name}`),
  }
}

function dataBase(nowMs: number, role: 'master' | 'slave') {
  return {
    infoAtMs: undefined,
    infosPending: 0,
    infoAskedAtMs: undefined,
    infoText: '',
    roleReported: role,
    roleReportedAtMs: nowMs,
    replid: '',
    replid2: '',
    failoverReported: 'unsupported' as const,
    failoverReportedAtMs: nowMs,
    writes: WELL,
    sync: undefined,
    idleSinceMs: undefined,
    addressesTold: undefined,
  }
}

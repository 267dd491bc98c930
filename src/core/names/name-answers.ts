/**
 * What the answer to a question for a host name changes: connections to the earlier address are opened
 * anew, what waited for the name continues, and failovers check again which node follows which.
 */
import { canonicalIp, hostAndPort } from '../../base/ip.ts'
import { takeHello } from '../discovery/hello-receive.ts'
import { discoverAgain } from '../discovery/info-reply.ts'
import type { Answer } from '../external-query.ts'
import { driveFailover } from '../failover/failover.ts'
import { redial } from '../links/links.ts'
import type { Group, Turn } from '../state.ts'
import { instancesOf } from '../state.ts'
import { log } from '../turn.ts'
import type { KnownName } from './known-names.ts'
import { knownName, shownHost } from './names.ts'

export function onNameAnswered(turn: Turn, host: string, answer: Answer): void {
  turn.state.names.underWay--
  const name = knownName(turn.state, host)
  // It may have been dropped meanwhile, because no instance uses it any more.
  if (name === undefined) return
  const isFirst = !name.isAnswered
  const before = name.address
  note(turn, host, name, answer)
  if (isFirst) nameReplicas(turn, host)
  if (name.address !== before) moveLinks(turn, host, name)
  if (isFirst) takeUpWhatWaited(turn, host, name)
  for (const group of turn.state.groups.values()) {
    if (group.failover !== undefined) driveFailover(turn, group)
  }
}

function note(turn: Turn, host: string, name: KnownName, answer: Answer): void {
  name.isAsked = false
  name.isAnswered = true
  const address = answer.kind === 'resolve' ? canonicalIp(answer.address) : undefined
  if (address === undefined) {
    const reason = answer.kind === 'failed' ? answer.reason : 'the answer is no address'
    if (reason !== name.failure) {
      log(turn, 'warning', `Failed to resolve hostname '${host}': ${reason}`)
    }
    name.failure = reason
    return
  }
  const isNews = name.address !== address || name.failure !== undefined
  if (isNews) log(turn, 'verbose', `host ${host} has the address ${address}`)
  name.failure = undefined
  name.address = address
}

/** Replicas added before the first answer get the name they would have had; from then on it is final. */
function nameReplicas(turn: Turn, host: string): void {
  for (const group of turn.state.groups.values()) {
    for (const replica of [...group.replicas.values()]) {
      if (!isSameText(replica.host, host)) continue
      const name = hostAndPort(shownHost(turn.state, replica.host), replica.port)
      if (group.replicas.has(name)) continue
      group.replicas.delete(replica.name)
      replica.name = name
      group.replicas.set(name, replica)
    }
  }
}

/** Only connections that were begun since the question move: names with several addresses must not flap. */
function moveLinks(turn: Turn, host: string, name: KnownName): void {
  const { address } = name
  if (address === undefined) return
  for (const group of turn.state.groups.values()) {
    for (const instance of instancesOf(group)) {
      // A link that several groups share goes where its first owner says.
      const { link } = instance
      if (link.owners[0] !== instance || !isSameText(instance.host, host)) continue
      redial(turn, link, address, name.askedAtMs)
    }
  }
}

function takeUpWhatWaited(turn: Turn, host: string, name: KnownName): void {
  const hellos = [...name.heldHellos.values()]
  name.heldHellos.clear()
  for (const hello of hellos) takeHello(turn, hello)
  for (const group of turn.state.groups.values()) {
    if (mentions(group, host)) discoverAgain(turn, group.master)
  }
}

function mentions(group: Group, host: string): boolean {
  return group.master.infoText.includes(host)
}

function isSameText(a: string, b: string): boolean {
  return a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase())
}

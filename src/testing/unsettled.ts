/**
 * What is missing until a cluster is at rest, in words: each running Sentinel knows the same master, every
 * running replica and every other Sentinel, holds none of them for down and leads no failover; each running
 * replica follows the master, and the Sentinels have heard so. A Sentinel that has not would refuse the
 * replica as too old if the master failed now.
 */
import type { Member } from './api.ts'
import type { ManagedGroup, ManagedNode, ManagedSentinel, SentinelView } from './parts.ts'

/** Empty: the group is at rest. */
export function unsettled(group: ManagedGroup, sentinels: readonly ManagedSentinel[]): string[] {
  const running = sentinels.filter(isRunning)
  if (running.length === 0) return ['no Sentinel is running']
  const { master } = group
  const told = group.told().filter(({ sentinel }) => running.some(({ name }) => name === sentinel))
  const others = told.filter(({ node }) => node !== master)
  const unled = unledNodes(group, master)
  return [
    ...others.map(({ sentinel, node }) => {
      return `${sentinel} tells clients ${node?.name ?? 'an unknown address'}, not ${master.name}`
    }),
    ...unled,
    ...running.flatMap((sentinel) => {
      const seen = sentinel.view(group.name)
      if (seen === undefined) return [`${sentinel.name} does not watch ${group.name}`]
      if (lacksLinks(seen)) sentinel.redial()
      if (unled.length === 0 && lacksNews(seen)) sentinel.hurry()
      return unseen(sentinel, seen, { group, master, running })
    }),
  ]
}

/** The nodes are in their places, and this Sentinel has not heard of it. */
function lacksNews({ isFailingOver, instances }: SentinelView): boolean {
  return isFailingOver || instances.some(({ isReached, isInPlace }) => isReached && !isInPlace)
}

/** It waits until it may dial a member again. While a master is down it decides by its periods: they stay. */
function lacksLinks({ isFailingOver, instances: [master, ...others] }: SentinelView): boolean {
  if (isFailingOver || master?.isDown !== false) return false
  return others.some(({ isDown, isReached }) => isDown || !isReached)
}

function unledNodes(group: ManagedGroup, master: ManagedNode): string[] {
  if (!isRunning(master)) return [`the master ${master.name} is ${master.status}`]
  if (master.replication?.role !== 'master') return [`${master.name} is not a master yet`]
  const replicas = group.nodes.filter((node) => node !== master && isRunning(node))
  return replicas.flatMap((node) => {
    const view = node.replication
    if (view?.role === 'replica' && view.masterPort === master.port && view.isLinkUp) return []
    return [`${node.name} does not follow ${master.name} yet`]
  })
}

interface Expected {
  readonly group: ManagedGroup
  readonly master: ManagedNode
  readonly running: readonly ManagedSentinel[]
}

function unseen(sentinel: ManagedSentinel, seen: SentinelView, expected: Expected): string[] {
  const { group, master, running } = expected
  const replicas = group.nodes.filter((node) => node !== master && isRunning(node))
  const peers = running.filter((one) => one !== sentinel)
  const members: readonly Member[] = [master, ...replicas, ...peers]
  const missing = members.flatMap((member) => {
    const instance = seen.instances.find(({ port }) => port === member.port)
    if (instance === undefined) return [`${sentinel.name} does not know ${member.name} yet`]
    if (instance.isDown) return [`${sentinel.name} holds ${member.name} for down`]
    if (!instance.isReached) return [`${sentinel.name} has not reached ${member.name} yet`]
    if (instance.isInPlace) return []
    const place = member === master ? 'is the master' : `follows ${master.name}`
    return [`${sentinel.name} has not heard yet that ${member.name} ${place}`]
  })
  return seen.isFailingOver ? [...missing, `${sentinel.name} leads a failover`] : missing
}

function isRunning({ status }: Member): boolean {
  return status === 'running'
}

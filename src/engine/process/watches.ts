/** Watches one running process from the observer's place, until it is gone. */

import type { Address } from '../../base/ip.ts'
import { HELLO_CHANNEL } from '../../core/discovery/hello-format.ts'
import type { NodeRole } from '../../history/happening.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Shell } from '../../sim/processes/shell.ts'
import { EventStream, Poll } from './event-stream.ts'
import type { SentinelEventFacts } from './sentinel-facts.ts'

const VIEW_PERIOD_MS = 40
const ROLE_PERIOD_MS = 40

export interface ProcessWatch {
  close(): void
}

export function watchSentinel(
  shell: Shell,
  address: Address,
  { facts, groups }: { readonly facts: SentinelEventFacts; readonly groups: readonly string[] },
): ProcessWatch {
  const views = new Poll({
    shell,
    address,
    periodMs: VIEW_PERIOD_MS,
    commands: [
      ['SENTINEL', 'MYID'],
      ...groups.map((group) => ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group]),
    ],
    answered: ([id, ...masters]) => {
      if (id?.kind === 'bulk') facts.id = id.bytes
      masters.forEach((reply, index) => {
        const master = readAddress(reply)
        if (master !== undefined) facts.named(groups[index] ?? '', master)
      })
    },
  })
  const events = new EventStream({
    shell,
    address,
    connected: (line) => line.send(['PSUBSCRIBE', '*']),
    replied: (reply) => {
      const [type, , channel, payload] = wordsOf(reply)
      if (type !== 'pmessage' || channel === undefined) return
      facts.published(channel, payload ?? '')
      views.hurry()
    },
  })
  return closingAll([views, events])
}

export function watchNode(
  shell: Shell,
  address: Address,
  {
    role,
    hello,
  }: { readonly role: (role: NodeRole) => void; readonly hello: (payload: string) => void },
): ProcessWatch {
  const roles = new Poll({
    shell,
    address,
    periodMs: ROLE_PERIOD_MS,
    commands: [['ROLE']],
    answered: ([reply]) => {
      const told = reply === undefined ? undefined : readRole(reply)
      if (told !== undefined) role(told)
    },
  })
  const hellos = new EventStream({
    shell,
    address,
    connected: (line) => line.send(['SUBSCRIBE', HELLO_CHANNEL]),
    replied: (reply) => {
      const [type, , payload] = wordsOf(reply)
      if (type === 'message' && payload !== undefined) hello(payload)
    },
  })
  return closingAll([roles, hellos])
}

function closingAll(watches: readonly ProcessWatch[]): ProcessWatch {
  return {
    close: () => {
      for (const watch of watches) watch.close()
    },
  }
}

export function readRole(reply: Reply): NodeRole | undefined {
  const [role, host, port, link] = wordsOf(reply)
  if (role === 'master') return { kind: 'master' }
  if (role !== 'slave' || host === undefined || port === undefined) return undefined
  return { kind: 'replica', master: { host, port: Number(port) }, isLinkUp: link === 'connected' }
}

function readAddress(reply: Reply): Address | undefined {
  const [host, port] = wordsOf(reply)
  return host === undefined || port === undefined ? undefined : { host, port: Number(port) }
}

/** The items of a flat array as text; a nested array becomes an empty string. */
export function wordsOf(reply: Reply | undefined): readonly string[] {
  if (reply?.kind !== 'array') return []
  return reply.items.map((item) => {
    if (item.kind === 'bulk') return item.bytes
    if (item.kind === 'integer') return String(item.value)
    return ''
  })
}

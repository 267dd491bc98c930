/**
 * After a partition, one more look at the master. Whoever was cut off from the others and from the master
 * sees it down, and can do nothing about it; when the network heals, the votes may be in reach a moment
 * before the master is, and a master that is well would be replaced. So the first thing to do with a
 * network that has changed is to try the master again, on a new connection: what was sent on the old one
 * waits for a retransmission. An ordinary failover never comes here.
 */
import { closeLink, openLinks } from './links.ts'
import type { Group, Turn } from './state.ts'

const PATIENCE_MS = 1_000

/** Until when the look takes, at the most; undefined: none is due, or it has been taken. */
export function lookingUntilMs(turn: Turn, group: Group): number | undefined {
  if (group.secondLook === undefined) return undefined
  group.secondLook.untilMs ??= beginLook(turn, group)
  const { untilMs } = group.secondLook
  // An attempt that has failed has told what there is to be told.
  const isTaken = group.master.link.command === undefined || untilMs <= turn.now.monoMs
  return isTaken ? undefined : untilMs
}

function beginLook(turn: Turn, { master, config }: Group): number {
  const { link } = master
  closeLink(turn, link.command)
  link.lastOpenedAtMs = undefined
  openLinks(turn, link)
  return turn.now.monoMs + Math.min(PATIENCE_MS, Math.floor(config.downAfterMs / 2))
}

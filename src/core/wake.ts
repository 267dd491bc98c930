/** Hands each deadline that is due to the mechanism that set it. */
import { assert, unreachable } from '../base/assert.ts'
import { suspect } from './detection/confer.ts'
import { checkDown, keepAsking } from './detection/down.ts'
import { keepInTouch } from './detection/ping.ts'
import { onHeartbeat } from './detection/tilt.ts'
import { isGoneForGood } from './discovery/forget.ts'
import { keepTold } from './discovery/hello-send.ts'
import { keepInformed } from './discovery/info-request.ts'
import { isForgotten } from './discovery/peers.ts'
import { considerFailover } from './election/failover-start.ts'
import { driveFailover } from './failover/failover.ts'
import { renewVotes } from './failover/renewal.ts'
import { openLinks } from './links/links.ts'
import { onOrderDeadline } from './pause/answer-orders.ts'
import { onPauseExpired } from './pause/pause-news.ts'
import { keepSharing } from './pause/share-pause.ts'
import { save } from './persistence/save.ts'
import { onScriptDeadline } from './scripts/scripts.ts'
import type { Group, Instance, Link, Turn } from './state.ts'
import type { TimerName } from './timers.ts'

/** Handles every deadline that is due. */
export function onWake(turn: Turn): void {
  for (;;) {
    const due = turn.state.timers.takeDue(turn.now.monoMs)
    if (due === undefined) return
    const { owner, name } = due
    if (owner.kind === 'tilt') onMachineDeadline(turn, name)
    else if (owner.kind === 'group') onGroupDeadline(turn, owner, name)
    else if (owner.kind === 'link') onLinkDeadline(turn, owner, name)
    else onInstanceDeadline(turn, owner, name)
  }
}

function onMachineDeadline(turn: Turn, name: TimerName): void {
  if (name === 'save') save(turn)
  else if (name === 'orders') onOrderDeadline(turn)
  else if (name === 'scripts') onScriptDeadline(turn)
  else onHeartbeat(turn)
}

function onLinkDeadline(turn: Turn, link: Link, name: TimerName): void {
  if (name === 'ping') keepInTouch(turn, link)
  else if (name === 'suspect') suspect(turn, link)
  else openLinks(turn, link)
}

function onInstanceDeadline(turn: Turn, instance: Instance, name: TimerName): void {
  switch (name) {
    case 'down':
      return checkDown(turn, instance)
    case 'info':
      return instance.kind === 'sentinel' ? undefined : keepInformed(turn, instance)
    case 'hello':
      return onHelloDeadline(turn, instance)
    case 'reconf':
      return driveFailover(turn, instance.group)
    case 'ping':
    case 'suspect':
    case 'reconnect':
    case 'ask':
    case 'start':
    case 'failover':
    case 'renewal':
    case 'tilt':
    case 'pause':
    case 'orders':
    case 'save':
    case 'scripts':
      return assert(false, `${name} is no deadline of an instance`)
    default:
      return unreachable(name)
  }
}

function onHelloDeadline(turn: Turn, instance: Instance): void {
  if (isForgotten(turn, instance) || isGoneForGood(turn, instance)) return
  keepTold(turn, instance)
  keepSharing(turn, instance)
}

function onGroupDeadline(turn: Turn, group: Group, name: TimerName): void {
  if (name === 'ask') keepAsking(turn, group)
  else if (name === 'start') considerFailover(turn, group)
  else if (name === 'pause') onPauseExpired(turn, group)
  else if (name === 'renewal') renewVotes(turn, group)
  else driveFailover(turn, group)
}

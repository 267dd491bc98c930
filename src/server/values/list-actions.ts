/**
 * Taking elements off lists, in the three forms of the blocking commands. The same code serves a
 * client at once or, later, one that has waited.
 */
import { unreachable } from '../../base/assert.ts'
import { array, bulk, bulks, type Reply } from '../../resp/reply.ts'
import { WRONG_TYPE } from '../errors.ts'
import type { EffectContext } from '../sessions/effect-context.ts'
import { Deque } from './deque.ts'
import type { ListValue } from './value.ts'

export type ListEnd = 'LEFT' | 'RIGHT'

export type ListAction =
  /** BLPOP, BRPOP: replies with the key and the element. */
  | { readonly kind: 'pop'; readonly side: ListEnd }
  /** LMPOP, BLMPOP: replies with the key and up to `count` elements. */
  | { readonly kind: 'popMany'; readonly side: ListEnd; readonly count: number }
  /** LMOVE and similar: from one side of this list to one side of another. */
  | {
      readonly kind: 'move'
      readonly from: ListEnd
      readonly to: ListEnd
      readonly destination: string
      /** The command that replicas get. */
      readonly effect: 'LMOVE' | 'RPOPLPUSH'
    }

function popFrom(items: Deque, side: ListEnd): string | undefined {
  return side === 'LEFT' ? items.popLeft() : items.popRight()
}

function takeFrom(items: Deque, side: ListEnd, count: number): string[] {
  return side === 'LEFT' ? items.takeLeft(count) : items.takeRight(count)
}

export function pushTo(items: Deque, side: ListEnd, item: string): void {
  if (side === 'LEFT') items.pushLeft(item)
  else items.pushRight(item)
}

/**
 * Performs the action on the list at `key`, which is not empty, and returns the reply. `hasWaited`: for a client that
 * was blocked. One element that it takes is no change for [save], as in Redis; those of BLMPOP are.
 */
export function performListAction(
  scene: EffectContext,
  key: string,
  list: ListValue,
  action: ListAction,
  hasWaited: boolean,
): Reply {
  const changes = hasWaited ? 0 : 1
  switch (action.kind) {
    case 'pop': {
      const [item = ''] = takeItems(scene, key, list, action.side, 1)
      notifyTaken(scene, key, list, action.side)
      scene.propagate([popCommand(action.side), key], changes)
      return bulks([key, item])
    }
    case 'popMany': {
      const items = takeItems(scene, key, list, action.side, action.count)
      notifyTaken(scene, key, list, action.side)
      scene.propagate([popCommand(action.side), key, String(items.length)], items.length)
      return array([bulk(key), bulks(items)])
    }
    case 'move':
      return moveItem(scene, key, list, action, changes)
    default:
      return unreachable(action)
  }
}

/** Takes up to `count` elements off one side, and deletes the key together with the last element. */
export function takeItems(
  scene: EffectContext,
  key: string,
  list: ListValue,
  side: ListEnd,
  count: number,
): string[] {
  const { db } = scene
  db.changing(key)
  const items = count === 1 ? [popFrom(list.items, side) ?? ''] : takeFrom(list.items, side, count)
  if (list.items.length === 0) db.remove(key)
  return items
}

/** Tells subscribers that elements were taken, and that the last one was. */
export function notifyTaken(
  scene: EffectContext,
  key: string,
  { items }: ListValue,
  side: ListEnd,
): void {
  scene.notify(side === 'LEFT' ? 'lpop' : 'rpop', key)
  if (items.length === 0) scene.notify('del', key)
}

export function pushEvent(side: ListEnd): 'lpush' | 'rpush' {
  return side === 'LEFT' ? 'lpush' : 'rpush'
}

function moveItem(
  scene: EffectContext,
  key: string,
  list: ListValue,
  action: ListAction & { kind: 'move' },
  changes: number,
): Reply {
  const { destination, from, to } = action
  const target = scene.db.value(destination)
  if (target !== undefined && target.type !== 'list') return WRONG_TYPE
  const item =
    destination === key
      ? rotate(scene, key, list, action)
      : (takeItems(scene, key, list, from, 1)[0] ?? '')
  if (destination !== key) pushItem(scene, destination, target, to, item)
  scene.notify(pushEvent(to), destination)
  notifyTaken(scene, key, list, from)
  const sides = action.effect === 'LMOVE' ? [from, to] : []
  scene.propagate([action.effect, key, destination, ...sides], changes)
  return bulk(item)
}

function rotate(
  scene: EffectContext,
  key: string,
  list: ListValue,
  { from, to }: { readonly from: ListEnd; readonly to: ListEnd },
): string {
  scene.db.changing(key)
  const item = popFrom(list.items, from) ?? ''
  pushTo(list.items, to, item)
  return item
}

function pushItem(
  scene: EffectContext,
  key: string,
  list: ListValue | undefined,
  side: ListEnd,
  item: string,
): void {
  if (list === undefined) {
    scene.db.put(key, { type: 'list', items: new Deque([item]) })
  } else {
    scene.db.changing(key)
    pushTo(list.items, side, item)
  }
}

function popCommand(side: ListEnd): string {
  return side === 'LEFT' ? 'LPOP' : 'RPOP'
}

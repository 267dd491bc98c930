/**
 * Taking elements off lists, in the three forms the blocking commands know. The same code serves a
 * client at once and, later, one that has waited: only who asks differs.
 */
import { unreachable } from '../../base/assert.ts'
import { array, bulk, bulks, type Reply } from '../../resp/reply.ts'
import { WRONG_TYPE } from '../errors.ts'
import type { Scene } from '../sessions/scene.ts'
import { Deque } from './deque.ts'
import type { ListValue } from './value.ts'

export type Side = 'LEFT' | 'RIGHT'

export type ListAction =
  /** BLPOP, BRPOP: the key and the element. */
  | { readonly kind: 'pop'; readonly side: Side }
  /** LMPOP, BLMPOP: the key and up to `count` elements. */
  | { readonly kind: 'popMany'; readonly side: Side; readonly count: number }
  /** LMOVE and its kin: from one side of this list to one side of another. */
  | {
      readonly kind: 'move'
      readonly from: Side
      readonly to: Side
      readonly destination: string
      /** How replicas are told. */
      readonly effect: 'LMOVE' | 'RPOPLPUSH'
    }

function popFrom(items: Deque, side: Side): string | undefined {
  return side === 'LEFT' ? items.popLeft() : items.popRight()
}

export function pushTo(items: Deque, side: Side, item: string): void {
  if (side === 'LEFT') items.pushLeft(item)
  else items.pushRight(item)
}

/** Performs the action on the list at `key`, which has an element, and gives the reply. */
export function performListAction(
  scene: Scene,
  key: string,
  list: ListValue,
  action: ListAction,
): Reply {
  switch (action.kind) {
    case 'pop': {
      const [item = ''] = takeItems(scene, key, list, action.side, 1)
      scene.propagate([popCommand(action.side), key])
      return bulks([key, item])
    }
    case 'popMany': {
      const items = takeItems(scene, key, list, action.side, action.count)
      scene.propagate([popCommand(action.side), key, String(items.length)])
      return array([bulk(key), bulks(items)])
    }
    case 'move':
      return moveItem(scene, key, list, action)
    default:
      return unreachable(action)
  }
}

/** Takes up to `count` elements off one side, and the key with the last of them. */
export function takeItems(
  scene: Scene,
  key: string,
  list: ListValue,
  side: Side,
  count: number,
): string[] {
  const { db } = scene
  db.changing(key)
  const items: string[] = []
  while (items.length < count && list.items.length > 0) items.push(popFrom(list.items, side) ?? '')
  if (list.items.length === 0) db.remove(key)
  return items
}

function moveItem(
  scene: Scene,
  key: string,
  list: ListValue,
  action: ListAction & { kind: 'move' },
): Reply {
  const { destination, from, to } = action
  const target = scene.db.value(destination)
  if (target !== undefined && target.type !== 'list') return WRONG_TYPE
  const item =
    destination === key
      ? rotate(scene, key, list, action)
      : (takeItems(scene, key, list, from, 1)[0] ?? '')
  if (destination !== key) pushItem(scene, destination, target, to, item)
  const sides = action.effect === 'LMOVE' ? [from, to] : []
  scene.propagate([action.effect, key, destination, ...sides])
  return bulk(item)
}

function rotate(
  scene: Scene,
  key: string,
  list: ListValue,
  { from, to }: { readonly from: Side; readonly to: Side },
): string {
  scene.db.changing(key)
  const item = popFrom(list.items, from) ?? ''
  pushTo(list.items, to, item)
  return item
}

function pushItem(
  scene: Scene,
  key: string,
  list: ListValue | undefined,
  side: Side,
  item: string,
): void {
  if (list === undefined) {
    scene.db.put(key, { type: 'list', items: new Deque([item]) })
  } else {
    scene.db.changing(key)
    pushTo(list.items, side, item)
  }
}

function popCommand(side: Side): string {
  return side === 'LEFT' ? 'LPOP' : 'RPOP'
}

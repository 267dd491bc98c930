/**
 * Taking elements off lists, in the three forms the blocking commands know. The same code serves a
 * client at once and, later, one that has waited: only who asks differs.
 */
import { unreachable } from '../base/assert.ts'
import { array, bulk, bulks, type Reply } from '../resp/reply.ts'
import type { CommandContext } from './context.ts'
import { Deque } from './deque.ts'
import { WRONG_TYPE } from './errors.ts'
import type { ListValue } from './values.ts'

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

export function popFrom(items: Deque, side: Side): string | undefined {
  return side === 'LEFT' ? items.popLeft() : items.popRight()
}

export function pushTo(items: Deque, side: Side, item: string): void {
  if (side === 'LEFT') items.pushLeft(item)
  else items.pushRight(item)
}

/** Performs the action on the list at `key`, which has an element, and gives the reply. */
export function performListAction(
  context: CommandContext,
  key: string,
  list: ListValue,
  action: ListAction,
): Reply {
  switch (action.kind) {
    case 'pop': {
      const [item = ''] = takeItems(context, key, list, action.side, 1)
      context.propagate([popCommand(action.side), key])
      return bulks([key, item])
    }
    case 'popMany': {
      const items = takeItems(context, key, list, action.side, action.count)
      context.propagate([popCommand(action.side), key, String(items.length)])
      return array([bulk(key), bulks(items)])
    }
    case 'move':
      return moveItem(context, key, list, action)
    default:
      return unreachable(action)
  }
}

/** Takes up to `count` elements off one side, and the key with the last of them. */
export function takeItems(
  context: CommandContext,
  key: string,
  list: ListValue,
  side: Side,
  count: number,
): string[] {
  const { db } = context
  db.changing(key)
  const items: string[] = []
  while (items.length < count && list.items.length > 0) items.push(popFrom(list.items, side) ?? '')
  if (list.items.length === 0) db.remove(key)
  return items
}

function moveItem(
  context: CommandContext,
  key: string,
  list: ListValue,
  action: ListAction & { kind: 'move' },
): Reply {
  const { destination, from, to } = action
  const target = context.db.value(destination)
  if (target !== undefined && target.type !== 'list') return WRONG_TYPE
  const item =
    destination === key
      ? rotate(context, key, list, action)
      : (takeItems(context, key, list, from, 1)[0] ?? '')
  if (destination !== key) pushItem(context, destination, target, to, item)
  const sides = action.effect === 'LMOVE' ? [from, to] : []
  context.propagate([action.effect, key, destination, ...sides])
  return bulk(item)
}

function rotate(
  context: CommandContext,
  key: string,
  list: ListValue,
  { from, to }: { readonly from: Side; readonly to: Side },
): string {
  context.db.changing(key)
  const item = popFrom(list.items, from) ?? ''
  pushTo(list.items, to, item)
  return item
}

function pushItem(
  context: CommandContext,
  key: string,
  list: ListValue | undefined,
  side: Side,
  item: string,
): void {
  if (list === undefined) {
    context.db.put(key, { type: 'list', items: new Deque([item]) })
  } else {
    context.db.changing(key)
    pushTo(list.items, side, item)
  }
}

function popCommand(side: Side): string {
  return side === 'LEFT' ? 'LPOP' : 'RPOP'
}

/** Hashes. */
import { type CommandRows, type Drawing, onValue, unchanged } from './command-row.ts'
import type { HeldValue, ValueOf } from './holdings.ts'
import { drawKey, drawMember, drawText } from './vocabulary.ts'

type Hash = ValueOf<'hash'>

const key = ({ rng }: Drawing): string => drawKey(rng, 'hash')

export const HASHES: CommandRows = {
  HSET: {
    kind: 'write',
    weight: 7,
    draw: (drawing) => [key(drawing), ...drawFields(drawing)],
    apply: onValue('hash', (value, pairs) => {
      const fields = new Map(value?.fields)
      const before = fields.size
      pairs.forEach((field, at) => {
        if (at % 2 === 0) fields.set(field, pairs[at + 1] ?? '')
      })
      return { value: { type: 'hash', fields }, told: fields.size - before }
    }),
  },
  HSETNX: {
    kind: 'write',
    weight: 1,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng), drawText(drawing)],
    apply: onValue('hash', (value, [field = '', text = '']) => {
      if (value?.fields.has(field)) return unchanged(value, 0)
      return { value: { type: 'hash', fields: new Map(value?.fields).set(field, text) }, told: 1 }
    }),
  },
  HINCRBY: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [key(drawing), `c${drawing.rng.below(2)}`, `${drawing.rng.below(90) - 30}`],
    apply: onValue('hash', (value, [field = '', by]) => {
      const after = Number(value?.fields.get(field) ?? 0) + Number(by)
      const fields = new Map(value?.fields).set(field, `${after}`)
      return { value: { type: 'hash', fields }, told: after }
    }),
  },
  HDEL: {
    kind: 'write',
    weight: 3,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng), drawMember(drawing.rng)],
    apply: onValue('hash', (value, names) => {
      if (value === undefined) return unchanged(value, 0)
      const fields = new Map(value.fields)
      for (const name of names) fields.delete(name)
      return { value: hashOrNone(fields, value), told: value.fields.size - fields.size }
    }),
  },
  HGET: {
    kind: 'read',
    weight: 2,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng)],
    apply: onValue('hash', (value, [field = '']) =>
      unchanged(value, value?.fields.get(field) ?? null),
    ),
  },
  HLEN: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('hash', (value) => unchanged(value, value?.fields.size ?? 0)),
  },
  HGETALL: {
    kind: 'read',
    weight: 2,
    unordered: 'pairs',
    draw: (drawing) => [key(drawing)],
    apply: onValue('hash', (value) => unchanged(value, [...(value?.fields ?? [])].flat())),
  },
}

/** Most of the time a few fields, seldom so many that the compact encoding ends. */
function drawFields(drawing: Drawing): readonly string[] {
  const { rng, unique } = drawing
  if (rng.chance(1, 80)) {
    return Array.from({ length: 200 }, (_, at) => [`f${at}`, `${unique}-${at}`]).flat()
  }
  const names = new Set(Array.from({ length: 1 + rng.below(3) }, () => drawMember(rng)))
  return [...names].flatMap((name) => [name, drawText(drawing)])
}

function hashOrNone(fields: ReadonlyMap<string, string>, before: Hash): HeldValue | null {
  if (fields.size === before.fields.size) return before
  return fields.size === 0 ? null : { type: 'hash', fields }
}

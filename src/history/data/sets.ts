/** Sets. What SPOP takes is chance: every member is a way in which it may come out. */
import {
  type CommandRows,
  type Drawing,
  isWrongType,
  only,
  onValue,
  put,
  unchanged,
  valueAt,
} from './command-row.ts'
import { type HeldValue, selectedOf } from './holdings.ts'
import { drawKey, drawMember } from './vocabulary.ts'

const key = ({ rng }: Drawing): string => drawKey(rng, 'set')

export const SETS: CommandRows = {
  SADD: {
    kind: 'write',
    weight: 7,
    draw: (drawing) => [key(drawing), ...drawMembers(drawing)],
    apply: onValue('set', (value, more) => {
      const members = new Set([...(value?.members ?? []), ...more])
      const told = members.size - (value?.members.size ?? 0)
      return told === 0 ? unchanged(value, 0) : { value: { type: 'set', members }, told }
    }),
  },
  SREM: {
    kind: 'write',
    weight: 3,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng), `${drawing.rng.below(30)}`],
    apply: onValue('set', (value, gone) => {
      if (value === undefined) return unchanged(value, 0)
      const members = new Set([...value.members].filter((member) => !gone.includes(member)))
      const told = value.members.size - members.size
      return told === 0 ? unchanged(value, 0) : { value: setOrNone(members), told }
    }),
  },
  SPOP: {
    kind: 'write',
    isChance: true,
    weight: 3,
    draw: (drawing) => [key(drawing)],
    apply: onValue('set', (value) => {
      if (value === undefined) return unchanged(value, null)
      return [...value.members].map((member) => {
        const members = new Set(value.members)
        members.delete(member)
        return { value: setOrNone(members), told: member }
      })
    }),
  },
  SRANDMEMBER: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('set', (value) =>
      unchanged(value, (told) =>
        value === undefined ? told === null : typeof told === 'string' && value.members.has(told),
      ),
    ),
  },
  SMOVE: {
    kind: 'write',
    keys: (args) => args.slice(0, 2),
    weight: 2,
    draw: ({ rng }) => ['e1', 'e2', drawMember(rng)],
    apply: ({ holdings, args }) => {
      const [from = '', to = '', member = ''] = args
      const source = valueAt(holdings, from, 'set')
      const target = valueAt(holdings, to, 'set')
      if (source === undefined) return only(holdings, 0)
      if (isWrongType(source) || isWrongType(target)) return only(holdings, { error: 'WRONGTYPE' })
      if (!source.members.has(member)) return only(holdings, 0)
      const left = new Set(source.members)
      left.delete(member)
      const rest = setOrNone(left)
      const database = selectedOf(holdings)
      const without = put(
        holdings,
        from,
        rest === null ? undefined : { value: rest, dies: database.get(from)?.dies },
      )
      const members = new Set([...(target?.members ?? []), member])
      const moved = { value: { type: 'set', members } as const, dies: database.get(to)?.dies }
      return only(put(without, to, moved), 1)
    },
  },
  SUNIONSTORE: {
    kind: 'write',
    keys: (args) => args,
    weight: 1,
    draw: () => ['e2', 'e1', 'e2'],
    apply: ({ holdings, args }) => {
      const [to = '', ...from] = args
      const sources = from.map((name) => valueAt(holdings, name, 'set'))
      if (sources.some(isWrongType)) return only(holdings, { error: 'WRONGTYPE' })
      const members = new Set(
        sources.flatMap((one) => (one === undefined || isWrongType(one) ? [] : [...one.members])),
      )
      const value = setOrNone(members)
      const entry = value === null ? undefined : { value, dies: undefined }
      return only(put(holdings, to, entry), members.size)
    },
  },
  SCARD: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('set', (value) => unchanged(value, value?.members.size ?? 0)),
  },
  SMEMBERS: {
    kind: 'read',
    weight: 2,
    unordered: 'items',
    draw: (drawing) => [key(drawing)],
    apply: onValue('set', (value) => unchanged(value, [...(value?.members ?? [])])),
  },
}

/** Words, numbers, which have an encoding of their own, and seldom many of them. */
function drawMembers({ rng }: Drawing): readonly string[] {
  if (rng.chance(1, 100)) return Array.from({ length: 150 }, (_, at) => `w${at}`)
  return [drawMember(rng), `${rng.below(30)}`]
}

function setOrNone(members: ReadonlySet<string>): HeldValue | null {
  return members.size === 0 ? null : { type: 'set', members }
}

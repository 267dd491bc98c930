/** GEOSEARCH, GEORADIUS and similar: which members are within a shape, and where the result goes. */
import { array, bulk, integer, list, type Reply } from '../../../resp/reply.ts'
import { arg, command } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { WRONG_TYPE } from '../../errors.ts'
import { coveringCells } from '../../values/geo-cover.ts'
import { distanceWithin } from '../../values/geo-distance.ts'
import { cellScores, type Position, positionOf } from '../../values/geo-hash.ts'
import { sortedSetOf } from '../../values/large.ts'
import type { SortedSet } from '../../values/sorted-set.ts'
import { storeZset } from '../zsets/zset-members.ts'
import { distanceReply, type MeasuredShape, positionReply } from './geo-arguments.ts'
import { type GeoForm, type GeoQuery, geoQueryParser } from './geo-query.ts'

interface Found {
  readonly member: string
  readonly score: number
  readonly position: Position
  /** In the unit of the query. */
  readonly distance: number
}

function searching(form: GeoForm) {
  const parse = geoQueryParser(form)
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const zset = context.db.source(arg(argv, form.sourceAt))
    if (zset !== undefined && zset.type !== 'zset') return WRONG_TYPE
    const query = parse(argv, zset?.set)
    if ('kind' in query) return query
    const found = results(query)
    if (query.storeKey === undefined) return list(found, (each) => foundReply(each, query))
    const scores = found.map(({ member, score, distance }) => {
      return [member, query.storesDistance ? distance : score] as const
    })
    const event = form.storing === 'first' ? 'geosearchstore' : 'georadiusstore'
    const set = sortedSetOf(scores, context.db.entries.hash)
    storeZset(context, query.storeKey, set, event, found.length)
    return integer(found.length)
  }
}

/** A count means the nearest ones, unless ANY is given. */
function results(query: GeoQuery): Found[] {
  const { source, center, measured, count, takesAny } = query
  if (source === undefined || center === undefined || measured === undefined) return []
  const found = within(source, center, measured, takesAny ? count : Number.POSITIVE_INFINITY)
  const sort = query.sort ?? (count > 0 && !takesAny ? 'ASC' : undefined)
  if (sort === 'ASC') found.sort((a, b) => a.distance - b.distance)
  if (sort === 'DESC') found.sort((a, b) => b.distance - a.distance)
  return count > 0 ? found.slice(0, count) : found
}

/** Cell by cell, and within one by score. */
function within(
  set: SortedSet,
  center: Position,
  { shape, unitM }: MeasuredShape,
  limit: number,
): Found[] {
  const found: Found[] = []
  for (const cell of coveringCells(center, shape)) {
    const [first, end] = cellScores(cell)
    const from = set.rankWhere((_, score) => score >= first)
    const to = set.rankWhere((_, score) => score >= end)
    for (const [member, score] of set.ascending({ from, to })) {
      if (found.length >= limit) return found
      const position = positionOf(score)
      const distanceM = distanceWithin(shape, center, position)
      if (distanceM === undefined) continue
      found.push({ member, score, position, distance: distanceM / unitM })
    }
  }
  return found
}

function foundReply(found: Found, { withDistance, withHash, withPosition }: GeoQuery): Reply {
  const member = bulk(found.member)
  if (!withDistance && !withHash && !withPosition) return member
  const items = [member]
  if (withDistance) items.push(distanceReply(found.distance))
  if (withHash) items.push(integer(BigInt(Math.trunc(found.score))))
  if (withPosition) items.push(positionReply(found.position))
  return array(items)
}

const BY_POSITION = { center: 'position', sourceAt: 1, optionsAt: 6 } as const
const BY_MEMBER = { center: 'member', sourceAt: 1, optionsAt: 5 } as const

const geoRadius = searching({ ...BY_POSITION, storing: 'option' })
const geoRadiusRo = searching({ ...BY_POSITION, storing: 'never' })
const geoRadiusByMember = searching({ ...BY_MEMBER, storing: 'option' })
const geoRadiusByMemberRo = searching({ ...BY_MEMBER, storing: 'never' })
const geoSearch = searching({ center: 'option', sourceAt: 1, optionsAt: 2, storing: 'never' })
const geoSearchStore = searching({ center: 'option', sourceAt: 2, optionsAt: 3, storing: 'first' })

const READ = ['1 RO access']
const RADIUS_KEYS = ['1 RO access', 'STORE@6 OW update', 'STOREDIST@6 OW update']
const MEMBER_KEYS = ['1 RO access', 'STORE@5 OW update', 'STOREDIST@5 OW update']
const STORED = ['1 OW update', '2 RO access']
const STORES = 'write denyoom'

export const geoSearchCommands = [
  command('geosearch', -7, 'readonly', READ, geoSearch),
  command('geosearchstore', -8, STORES, STORED, geoSearchStore),
  command('georadius', -6, STORES, RADIUS_KEYS, geoRadius),
  command('georadius_ro', -6, 'readonly', READ, geoRadiusRo),
  command('georadiusbymember', -5, STORES, MEMBER_KEYS, geoRadiusByMember),
  command('georadiusbymember_ro', -5, 'readonly', READ, geoRadiusByMemberRo),
]

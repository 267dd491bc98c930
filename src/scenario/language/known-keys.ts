/**
 * Which keys a scenario file may have at a place. The schema alone knows: a list beside it would forget some, and
 * would propose a key that the next run refuses at that place.
 */
import { z } from 'zod'
import type { Path } from './source.ts'

/** Empty if no mapping of fixed keys is expected there. */
export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const places = path.reduce<readonly z.ZodType[]>(
    (all, part) => all.flatMap((one) => childrenOf(one, part)),
    alternativesOf(schema),
  )
  return [...new Set(places.flatMap((place) => (isObject(place) ? Object.keys(place.shape) : [])))]
}

function childrenOf(schema: z.ZodType, part: PropertyKey): readonly z.ZodType[] {
  const child = childOf(schema, part)
  return child === undefined ? [] : alternativesOf(child)
}

function childOf(schema: z.ZodType, part: PropertyKey): z.ZodType | undefined {
  if (isObject(schema)) return schema.shape[String(part)] as z.ZodType | undefined
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : undefined
}

/** A place may take a name or a mapping; what is optional is no other place. */
function alternativesOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodOptional) return alternativesOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return alternativesOf(schema.in as z.ZodType)
  if (!(schema instanceof z.ZodUnion)) return [schema]
  return (schema.options as readonly z.ZodType[]).flatMap(alternativesOf)
}

function isObject(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject
}

/**
 * An object graph as text and back: plain objects, arrays, maps and sets, in circles too, and what
 * JSON has no word for. Each object is one node, and other nodes refer to it by its number; so what
 * was one object before is one object afterwards. Instances of classes need a codec, because their
 * fields are their own.
 *
 * In a node, a value is a string, a finite number, a boolean or null as it is; `[7]` is node 7,
 * `[]` is undefined, `["Infinity"]` a number without a literal, `["n", "12"]` a bigint.
 */

/** A node: what kind of object it is, and its content. */
type Node =
  | { readonly o: Readonly<Record<string, unknown>> }
  | { readonly a: readonly unknown[] }
  | { readonly m: readonly (readonly [unknown, unknown])[] }
  | { readonly s: readonly unknown[] }
  | Substitute

/** Stands for an object: what the codec of that name needs to make it again, as JSON can say it. */
export interface Substitute {
  readonly c: string
  readonly v: unknown
}

/** Looks at every object and every property on its way. */
export interface ImageWriter {
  /** Undefined: the object is taken as it is. `key`: the property in which it was found first. */
  substitute(object: object, key: string): Substitute | undefined
  /** The value of a property as the image shows it. */
  shown(key: string, value: unknown): unknown
}

export function writeImage(root: object, writer: ImageWriter): string {
  const nodes: Node[] = []
  const numbers = new Map<object, number>()
  /** Objects that have a number and no node yet: a chain of them may be longer than the stack. */
  const todo: { readonly object: object; readonly number: number; readonly key: string }[] = []
  const refer = (value: unknown, key = ''): unknown => {
    if (typeof value !== 'object' || value === null) return primitive(value)
    const known = numbers.get(value)
    if (known !== undefined) return [known]
    const number = numbers.size
    numbers.set(value, number)
    todo.push({ object: value, number, key })
    return [number]
  }
  refer(root)
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { object, number, key } = next
    const substitute = writer.substitute(object, key)
    nodes[number] = substitute ?? nodeOf(object, refer, writer)
  }
  return JSON.stringify(nodes)
}

function primitive(value: unknown): unknown {
  if (value === undefined) return []
  if (typeof value === 'bigint') return ['n', String(value)]
  return typeof value === 'number' && !Number.isFinite(value) ? [String(value)] : value
}

type ValueOf = (value: unknown, key?: string) => unknown

function nodeOf(object: object, refer: ValueOf, writer: ImageWriter): Node {
  if (Array.isArray(object)) return { a: object.map((one) => refer(one)) }
  if (object instanceof Map) return { m: [...object].map(([k, v]) => [refer(k), refer(v)]) }
  if (object instanceof Set) return { s: [...object].map((one) => refer(one)) }
  const entries = Object.entries(object).map(([key, value]) => {
    return [key, refer(writer.shown(key, value), key)]
  })
  return { o: Object.fromEntries(entries) }
}

/** Makes the object again for which a codec stands; throws an ImageFault if it cannot. */
export type ImageReader = (codec: string, content: unknown) => object

/** The text is no image, or not one of this version. */
export class ImageFault extends Error {}

/**
 * Codecs are asked in the alphabetical order of their names, and before anything else is there.
 * Throws an ImageFault.
 */
export function readImage(text: string, make: ImageReader): object {
  const nodes = parseNodes(text)
  const objects = nodes.map(shellOf)
  const codecs = [...nodes.entries()].flatMap(([number, node]) =>
    'c' in node ? [{ number, codec: node.c, content: node.v }] : [],
  )
  codecs.sort((one, other) => (one.codec < other.codec ? -1 : one.codec > other.codec ? 1 : 0))
  for (const { number, codec, content } of codecs) objects[number] = make(codec, content)
  const read = (value: unknown) => valueIn(objects, value)
  for (const [number, node] of nodes.entries()) fill(objects[number] as object, node, read)
  return objects[0] as object
}

function valueIn(objects: readonly (object | undefined)[], value: unknown): unknown {
  if (!Array.isArray(value)) {
    if (typeof value !== 'object' || value === null) return value
    throw new ImageFault('a value is an object')
  }
  const [first, digits] = value
  if (value.length === 0) return undefined
  if (typeof first === 'number' && objects[first] !== undefined) return objects[first]
  if (first === 'n' && /^-?\d{1,40}$/.test(String(digits))) return BigInt(String(digits))
  if (value.length === 1 && NUMBERS.has(String(first))) return Number(first)
  throw new ImageFault(`${JSON.stringify(value)} is no value`)
}

const NUMBERS: ReadonlySet<string> = new Set(['Infinity', '-Infinity', 'NaN'])

function parseNodes(text: string): readonly Node[] {
  let nodes: unknown
  try {
    nodes = JSON.parse(text)
  } catch {
    throw new ImageFault('it is no JSON')
  }
  if (!Array.isArray(nodes) || nodes.length === 0) throw new ImageFault('it is no list of nodes')
  for (const [number, node] of nodes.entries())
    if (!isNode(node)) throw new ImageFault(`node ${number} is none`)
  return nodes
}

function isNode(node: unknown): node is Node {
  if (typeof node !== 'object' || node === null) return false
  if ('o' in node) return typeof node.o === 'object' && node.o !== null && !Array.isArray(node.o)
  if ('a' in node) return Array.isArray(node.a)
  if ('s' in node) return Array.isArray(node.s)
  if ('m' in node) return Array.isArray(node.m) && node.m.every((pair) => Array.isArray(pair))
  return 'c' in node && 'v' in node && typeof node.c === 'string'
}

/** An empty object to be filled; undefined for one that a codec makes. */
function shellOf(node: Node): object | undefined {
  if ('o' in node) return {}
  if ('a' in node) return []
  if ('m' in node) return new Map()
  return 's' in node ? new Set() : undefined
}

function fill(object: object, node: Node, refer: (value: unknown) => unknown): void {
  if ('o' in node) {
    for (const [key, value] of Object.entries(node.o)) {
      const field = { value: refer(value), writable: true, enumerable: true, configurable: true }
      // Not by assignment: a made-up image may have a property of the name __proto__.
      Object.defineProperty(object, key, field)
    }
  } else if ('a' in node) (object as unknown[]).push(...node.a.map(refer))
  else if ('m' in node)
    for (const [key, value] of node.m)
      (object as Map<unknown, unknown>).set(refer(key), refer(value))
  else if ('s' in node) for (const one of node.s) (object as Set<unknown>).add(refer(one))
}

/**
 * What a Redis-protocol peer can answer, RESP2 and RESP3 alike. All texts are byte strings: latin1
 * strings in which every character is one byte. The encoder maps RESP3 kinds down for RESP2 clients.
 */
export type Reply =
  | { readonly kind: 'simple'; readonly text: string }
  /**
   * `text` includes the code, as in `ERR no such key`. `isCounted`: a script hands on the error of a command
   * that it called, which is in the statistics already.
   */
  | { readonly kind: 'error'; readonly text: string; readonly isCounted?: boolean }
  | { readonly kind: 'integer'; readonly value: number | bigint }
  | { readonly kind: 'bulk'; readonly bytes: string }
  /** Null: `$-1` in RESP2, `_` in RESP3. */
  | { readonly kind: 'null' }
  /** Null where a RESP2 client expects an array: `*-1` in RESP2, `_` in RESP3. */
  | { readonly kind: 'nullArray' }
  | { readonly kind: 'array'; readonly items: readonly Reply[] }
  /** Bulk strings only, undefined for null; in a map, keys and values alternate. */
  | {
      readonly kind: 'bulks'
      readonly of: 'array' | 'set' | 'map'
      readonly texts: readonly (string | undefined)[]
    }
  /**
   * An array whose elements are made when they are sent, which may be much later: the data `item` reads
   * must not change.
   */
  | { readonly kind: 'list'; readonly count: number; readonly item: (at: number) => Reply }
  /** A flat array of alternating keys and values in RESP2. */
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Reply, Reply])[] }
  | { readonly kind: 'set'; readonly items: readonly Reply[] }
  /** What is said of a reply besides the reply, in RESP3 alone. */
  | {
      readonly kind: 'attributed'
      readonly attributes: readonly (readonly [Reply, Reply])[]
      readonly reply: Reply
    }
  /** Out-of-band data (pub/sub): `>` in RESP3, an ordinary array in RESP2. */
  | { readonly kind: 'push'; readonly items: readonly Reply[] }
  /** `text`: how it is written, if not in the usual form. */
  | { readonly kind: 'double'; readonly value: number; readonly text?: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'bigNumber'; readonly digits: string }
  /** `format` has three characters, such as `txt`; a plain bulk string in RESP2. */
  | { readonly kind: 'verbatim'; readonly format: string; readonly text: string }

export type Protocol = 2 | 3

export const OK: Reply = { kind: 'simple', text: 'OK' }
export const NULL: Reply = { kind: 'null' }
export const NULL_ARRAY: Reply = { kind: 'nullArray' }

export function simple(text: string): Reply {
  return { kind: 'simple', text }
}

export function error(text: string): Reply {
  return { kind: 'error', text }
}

export function integer(value: number | bigint): Reply {
  return { kind: 'integer', value }
}

export function bulk(bytes: string): Reply {
  return { kind: 'bulk', bytes }
}

export function array(items: readonly Reply[]): Reply {
  return { kind: 'array', items }
}

/** The caller must not change the texts any more. */
export function bulks(texts: readonly (string | undefined)[]): Reply {
  return { kind: 'bulks', of: 'array', texts }
}

/** See the kind `list`. */
export function list<T>(elements: readonly T[], show: (element: T) => Reply): Reply {
  return { kind: 'list', count: elements.length, item: (at) => show(elements[at] as T) }
}

/** A map of bulk strings, the shape of most administrative replies. */
export function bulkMap(pairs: readonly (readonly [string, string])[]): Reply {
  return { kind: 'map', entries: pairs.map(([key, value]) => [bulk(key), bulk(value)] as const) }
}

/** For programs that hand a decoder what their socket gave them. */
export function noByteString(decoder: string): TypeError {
  return new TypeError(
    `${decoder}.push takes a latin1 string: use socket.setEncoding('latin1') or buffer.toString('latin1')`,
  )
}

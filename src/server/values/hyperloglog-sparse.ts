/**
 * The sparse form of a HyperLogLog: runs of equal registers.
 *
 *     00nnnnnn             n+1 registers are zero, up to 64
 *     01nnnnnn nnnnnnnn    the same, up to 16384
 *     1vvvvvnn             n+1 registers, up to 4, hold v+1, up to 32
 *
 * The same registers can be written in many ways. Which one results depends on the order of changes,
 * and has to be Redis': a change splits the run it falls into, and then neighbours are joined where the
 * rules below say so, and nowhere else.
 */

const REGISTERS = 16384
const MAX_SHORT_ZEROS = 64
const MAX_VALUE = 32
const MAX_VALUE_RUN = 4
/** How many runs are examined for neighbours to join. */
const JOIN_SCAN = 5

interface Run {
  /** Position in the body. */
  readonly at: number
  /** 1 or 2. */
  readonly bytes: number
  readonly value: number
  readonly length: number
}

export type SparseChange =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly body: string }
  /** The sparse form cannot hold it, or would be longer than allowed. */
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'damaged' }

const SAME: SparseChange = { kind: 'same' }
const TOO_LARGE: SparseChange = { kind: 'tooLarge' }
const DAMAGED: SparseChange = { kind: 'damaged' }

/** Undefined if the runs do not add up to all registers. */
export function sparseRegisters(body: string): Uint8Array | undefined {
  const registers = new Uint8Array(REGISTERS)
  let index = 0
  for (let at = 0; at < body.length; ) {
    const run = runAt(body, at)
    if (index + run.length > REGISTERS) return undefined
    registers.fill(run.value, index, index + run.length)
    index += run.length
    at += run.bytes
  }
  return index === REGISTERS ? registers : undefined
}

export function sparseRuns(body: string): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < body.length; ) {
    const run = runAt(body, at)
    runs.push(run)
    at += run.bytes
  }
  return runs
}

/** Raises one register to `count`; the body may grow to `maxBytes`. */
export function setSparse(
  body: string,
  index: number,
  count: number,
  maxBytes: number,
): SparseChange {
  if (count > MAX_VALUE) return TOO_LARGE
  const found = findRun(body, index)
  if (found === undefined) return DAMAGED
  const { run, first, previousAt } = found
  if (run.value >= count) return SAME
  const parts =
    zerosOrValues(run.value, index - first) +
    valueRun(count, 1) +
    zerosOrValues(run.value, first + run.length - 1 - index)
  const grows = parts.length - run.bytes
  if (grows > 0 && body.length + grows > maxBytes) return TOO_LARGE
  const changed = body.slice(0, run.at) + parts + body.slice(run.at + run.bytes)
  return { kind: 'changed', body: joined(changed, previousAt) }
}

interface Found {
  readonly run: Run
  /** Index of the run's first register. */
  readonly first: number
  /** Where the run before it begins; for the first run, the run itself. */
  readonly previousAt: number
}

function findRun(body: string, index: number): Found | undefined {
  let first = 0
  let previousAt = 0
  for (let at = 0; at < body.length; ) {
    const run = runAt(body, at)
    if (index < first + run.length) return { run, first, previousAt }
    previousAt = at
    first += run.length
    at += run.bytes
  }
  return undefined
}

/** Neighbours with the same value become one run, if one run can hold both. */
function joined(body: string, from: number): string {
  let result = body
  let at = from
  for (let scanned = 0; scanned < JOIN_SCAN && at < result.length; scanned++) {
    const run = runAt(result, at)
    const next = at + 1 < result.length ? runAt(result, at + 1) : undefined
    const length = run.length + (next?.length ?? 0)
    if (run.value > 0 && run.value === next?.value && length <= MAX_VALUE_RUN) {
      result = result.slice(0, at) + valueRun(run.value, length) + result.slice(at + 2)
    } else {
      at += run.bytes
    }
  }
  return result
}

function runAt(body: string, at: number): Run {
  const byte = body.charCodeAt(at)
  if (byte >= 0x80) {
    return { at, bytes: 1, value: ((byte >> 2) & 0x1f) + 1, length: (byte & 3) + 1 }
  }
  if (byte < 0x40) return { at, bytes: 1, value: 0, length: byte + 1 }
  const length = (((byte & 0x3f) << 8) | body.charCodeAt(at + 1)) + 1
  return { at, bytes: 2, value: 0, length }
}

/** An empty text for a length of zero. */
function zerosOrValues(value: number, length: number): string {
  if (length === 0) return ''
  return value === 0 ? zeroRun(length) : valueRun(value, length)
}

function zeroRun(length: number): string {
  if (length <= MAX_SHORT_ZEROS) return String.fromCharCode(length - 1)
  return String.fromCharCode(0x40 | ((length - 1) >> 8), (length - 1) & 0xff)
}

function valueRun(value: number, length: number): string {
  return String.fromCharCode(0x80 | ((value - 1) << 2) | (length - 1))
}

/** What a record takes of a disk in a day, from the first minutes of one that was not interrupted. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { pathOf } from '../../scripts/paths.mjs'

const importBuilt = (module) => import(pathToFileURL(pathOf(`dist/${module}`)).href)

const DAY_MS = 86_400_000
/** A record begins a new segment so often (docs/blackbox.md). */
const SEGMENTS_A_DAY = 24
/** Within this time of its beginning everybody is met for the first time. */
const FIRST_MS = 60_000

/** Megabytes a day. `untilMs`: by then, counted from its beginning, the record was not interrupted. */
export async function megabytesADay(path, untilMs) {
  const [head, ...blocks] = await framesOf(path)
  const [first] = blocks
  const isLater = ({ fromMs }) => fromMs >= first.fromMs + FIRST_MS
  const starts = [head, ...blocks.filter((block) => !isLater(block))]
  const later = blocks.filter((block) => isLater(block) && block.fromMs <= first.fromMs + untilMs)
  // Where the last of them ends is not said.
  const end = later.pop()
  if (later.length === 0) throw new Error(`${path} has too few blocks`)
  const perDay = (sumOf(later) * DAY_MS) / (end.fromMs - later[0].fromMs)
  return (perDay + SEGMENTS_A_DAY * sumOf(starts)) / 1e6
}

async function framesOf(path) {
  const { MAGIC, readFrame } = await importBuilt('io/blackbox/frames.js')
  const file = readFileSync(path)
  const frames = []
  let at = MAGIC.length
  for (let frame = readFrame(file, at); frame !== 'torn'; frame = readFrame(file, at)) {
    frames.push({ bytes: frame.endsAt - at, fromMs: beginningOf(frame) })
    at = frame.endsAt
  }
  return frames
}

/** By the monotonic clock. */
function beginningOf({ type, text }) {
  return type === 'B' ? JSON.parse(text.slice(0, text.indexOf('\n'))).from[0] : undefined
}

function sumOf(frames) {
  return frames.reduce((sum, { bytes }) => sum + bytes, 0)
}

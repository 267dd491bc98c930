/**
 * The progress shown while a long scenario is played. The simulator blocks the process, so it runs
 * in pieces of virtual time, and the progress line looks at the clock between them. Real worlds go at
 * their own pace, and a timer looks at them.
 */
import { performance } from 'node:perf_hooks'
import { secondsText } from '../../scenario/duration.ts'
import type { Engine, World } from '../../scenario/world.ts'
import { say } from '../report.ts'
import type { StatusLine } from '../status-line.ts'

const PIECE_MS = 250
/** A run that takes less time shows no progress. */
const PATIENCE_MS = 1_000
/** On a terminal one line is overwritten; elsewhere each update is a new line. */
const LINE_EVERY_MS = 10_000
const SHOWN_EVERY_MS = 500

/** The same engine, but a long run shows its progress on standard error. */
export function telling(engine: Engine, name: string, status: StatusLine): Engine {
  const slowed = engine.name === 'sim' ? inPieces : watched
  return {
    name: engine.name,
    programs: engine.programs,
    refusal: (file) => engine.refusal(file),
    create: async (file, seed) => slowed(await engine.create(file, seed), teller(name, status)),
  }
}

type Tell = (reachedMs: number, endMs: number) => void

function watched(world: World, tell: Tell): World {
  const startedMs = performance.now()
  const runUntil: World['runUntil'] = async (atMs, isMet) => {
    const timer = setInterval(() => tell(performance.now() - startedMs, atMs), SHOWN_EVERY_MS)
    try {
      return await world.runUntil(atMs, isMet)
    } finally {
      clearInterval(timer)
    }
  }
  return withRunUntil(world, runUntil)
}

function inPieces(world: World, tell: Tell): World {
  let reachedMs = 0
  const runUntil: World['runUntil'] = async (atMs, isMet) => {
    let isOver = false
    const look: typeof isMet = isMet && ((happening) => (isOver ||= isMet(happening)))
    while (!isOver && reachedMs + PIECE_MS < atMs) {
      reachedMs = await world.runUntil(reachedMs + PIECE_MS, look)
      tell(reachedMs, atMs)
    }
    if (!isOver) reachedMs = await world.runUntil(atMs, look)
    return reachedMs
  }
  return withRunUntil(world, runUntil)
}

function withRunUntil(world: World, runUntil: World['runUntil']): World {
  return {
    runUntil,
    apply: (action) => world.apply(action),
    ask: (process, argv, before) => world.ask(process, argv, before),
    nameOf: (address) => world.nameOf(address),
    happenings: () => world.happenings(),
    writes: () => world.writes(),
    reads: () => world.reads(),
    questions: () => world.questions(),
    latestMs: () => world.latestMs(),
    close: () => world.close(),
  }
}

function teller(name: string, status: StatusLine): Tell {
  const startedMs = performance.now()
  let nextMs = startedMs + PATIENCE_MS
  return (reachedMs, endMs) => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    const spent = `${Math.round((nowMs - startedMs) / 1_000)} s`
    const text = `${name}: ${secondsText(reachedMs, 1)} of ${secondsText(endMs, 1)} played after ${spent}`
    if (status.isSeen) status.show(text)
    else say(text)
    nextMs = nowMs + (status.isSeen ? SHOWN_EVERY_MS : LINE_EVERY_MS)
  }
}

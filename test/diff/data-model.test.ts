/** The model of the data that judges drawn histories says what redis-server and our node say. */
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import {
  contentOf,
  type Holdings,
  NO_HOLDINGS,
  type Span,
} from '../../src/history/data/holdings.ts'
import {
  applyRequest,
  type DataRequest,
  drawRequest,
  lookAround,
  sentFor,
} from '../../src/history/data/requests.ts'
import type { Told } from '../../src/history/data/told.ts'
import type { Question } from '../../src/history/writes.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { plainOf } from '../../src/resp/plain.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { DataStory } from '../../src/scenario/final-checks/data-story.ts'
import { ScanCourse } from '../../src/sim/clients/scan-course.ts'
import { isRedisName } from '../support/newer-commands.ts'
import { HOST, hasRedisServer, startOurs, startRedis } from '../support/real-nodes.ts'
import { sized } from '../support/sized.ts'

const REQUESTS = sized(600, 4_000)
/** An empty list makes a client wait; the rest takes less than a millisecond. */
const BOUND_MS = 30_000 + REQUESTS * 20
const LOOK_EVERY = 50

describe.skipIf(!hasRedisServer)('the model of the data (needs redis-server)', () => {
  test.each([
    ['redis-server', startRedis, isRedisName],
    ['our node', startOurs, () => true],
  ])(
    'expects what %s answers',
    async (_name, start, knows) => {
      const node = await start()
      try {
        expect(await firstSurprise(node.port, knows)).toBeUndefined()
      } finally {
        await node.stop()
      }
    },
    BOUND_MS,
  )
})

/** The first answer that the model does not expect; undefined: there is none. */
async function firstSurprise(
  port: number,
  knows: (name: string) => boolean,
): Promise<string | undefined> {
  const { ask, close } = converse(port)
  const rng = createRng('data model')
  const startedMs = performance.now()
  const scans = new ScanCourse(rng.fork('scans'))
  const questions: Question[] = []
  let states: readonly Holdings[] = [NO_HOLDINGS]
  await ask(['SELECT', '1'])
  try {
    for (let number = 1; number <= REQUESTS; number++) {
      const drawing = { rng, unique: number * 4, home: 1, second: 2, isAlone: true }
      const page = scans.next(drawing.unique)
      const request = page ?? (number % LOOK_EVERY === 0 ? lookAround(1, 2) : drawRequest(drawing))
      if (!sentFor(request).every(([name = '']) => knows(name.toLowerCase()))) continue
      const fromMs = performance.now() - startedMs
      const told = (await Promise.all(sentFor(request).map(ask))).at(-1) ?? null
      scans.answered(request, told)
      const untilMs = performance.now() - startedMs
      questions.push(questionOf(request, told, { fromMs, untilMs }))
      const at = {
        fromMs,
        untilMs,
        areClocksRight: true,
        mayKeepDead: false,
        mayBeFull: false,
      }
      const next = states.flatMap((state) => applyRequest(state, request, at, told))
      if (next.length === 0) return `${JSON.stringify(request)} gave ${JSON.stringify(told)}`
      states = [...new Map(next.map((state) => [contentOf(state), state])).values()]
    }
    return storyOf(questions)
  } finally {
    close()
  }
}

function questionOf(request: DataRequest, told: Told, { fromMs, untilMs }: Span): Question {
  return {
    ...{ client: 'app', group: 'g', node: 'n', connection: 1, request, write: undefined },
    ...{ attemptedAtMs: fromMs, answer: { atMs: untilMs, told } },
  }
}

/** What the judge of whole stories, which also follows scans, has to say. */
function storyOf(questions: readonly Question[]): string | undefined {
  const story = new DataStory({
    questions,
    endMs: questions.at(-1)?.answer?.atMs ?? 0,
    mayHaveChanged: () => false,
    mayKeepDead: () => false,
    mayBeFull: () => false,
    clocksFailAtMs: Number.POSITIVE_INFINITY,
    workMax: Number.POSITIVE_INFINITY,
  })
  return story.violations[0]?.text
}

function converse(port: number) {
  const socket = connect(port, HOST)
  const decoder = new ReplyDecoder()
  const waiting: ((told: Told) => void)[] = []
  socket.setEncoding('latin1')
  socket.on('data', (bytes) => {
    decoder.push(String(bytes))
    for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
      if (reply.kind !== 'malformed') waiting.shift()?.(plainOf(reply))
    }
  })
  const ask = (argv: readonly string[]): Promise<Told> =>
    new Promise((resolve, reject) => {
      socket.once('error', reject)
      waiting.push(resolve)
      socket.write(encodeCommand(argv), 'latin1')
    })
  socket.setMaxListeners(0)
  return { ask, close: () => socket.destroy() }
}

/**
 * The transcripts that drawn runs ask our node are what Redis' own programs answer. `VEDETTE_RECORD=redis-server npx vitest
 * run test/diff/transcripts.test.ts` records them anew with the one that is installed, and VEDETTE_RECORD=redis-sentinel
 * those of the other.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  readTranscripts,
  type Transcript,
  transcriptText,
} from '../../src/fuzz/transcripts/transcript.ts'
import { hasRedisServer, startRedis } from '../support/real-nodes.ts'
import { hasRedisSentinel } from '../support/real-sentinels.ts'
import { ask, recordTranscripts, withoutChance } from '../support/record-transcripts.ts'

const FOLDER = fileURLToPath(new URL('../../transcripts', import.meta.url))
/** All of them would take minutes. */
const EVERY = 12
const RECORDING_MS = 900_000

/** Both come from one package. */
async function versionHere(): Promise<string> {
  const server = await startRedis()
  const text = await server.client.info('server')
  await server.stop()
  return /^redis_version:(\S+)/m.exec(text)?.[1] ?? ''
}

const PROGRAMS = [
  { program: 'redis-server', isHere: hasRedisServer },
  { program: 'redis-sentinel', isHere: hasRedisSentinel && hasRedisServer },
] as const

for (const { program, isHere } of PROGRAMS) {
  describe.skipIf(!isHere)(`transcripts (need ${program})`, () => {
    if (process.env.VEDETTE_RECORD === program) return record(program)
    test(`every twelfth of them is what ${program} of that version still answers`, async ({
      skip,
    }) => {
      const file = `${program}-${await versionHere()}.txt`
      if (!readdirSync(FOLDER).includes(file)) skip(`no transcripts of ${file.slice(0, -4)}`)
      const kept = readTranscripts(readFileSync(`${FOLDER}/${file}`, 'latin1'))
      for (const one of kept.filter((_, at) => at % EVERY === 0)) {
        const again = await ask(one)
        const replies = again.replies.map((reply, at) => one.replies[at] && reply)
        expect(withoutChance(one, { ...again, replies }).replies).toEqual(one.replies)
      }
    })
  })
}

function record(program: Transcript['program']): void {
  const work = async () => {
    const text = (await recordTranscripts(program)).map(transcriptText).join('')
    writeFileSync(`${FOLDER}/${program}-${await versionHere()}.txt`, text, 'latin1')
  }
  test('are recorded', work, RECORDING_MS)
}

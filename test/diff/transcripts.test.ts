/**
 * The transcripts that drawn runs ask our node are what a redis-server answers. `VEDETTE_RECORD=1 npx vitest run
 * test/diff/transcripts.test.ts` records them anew, with the redis-server that is installed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readTranscripts, transcriptText } from '../../src/fuzz/transcripts/transcript.ts'
import { hasRedisServer, startRedis } from '../support/real-nodes.ts'
import { ask, recordTranscripts, withoutChance } from '../support/record-transcripts.ts'

const FOLDER = fileURLToPath(new URL('../../transcripts', import.meta.url))
const SCRIPTS = fileURLToPath(new URL('./commands', import.meta.url))
/** All of them would take minutes. */
const EVERY = 12
const RECORDING_MS = 900_000

async function versionHere(): Promise<string> {
  const server = await startRedis()
  const text = await server.client.info('server')
  await server.stop()
  return /^redis_version:(\S+)/m.exec(text)?.[1] ?? ''
}

describe.skipIf(!hasRedisServer)('transcripts (need redis-server)', () => {
  test.skipIf(process.env.VEDETTE_RECORD !== undefined)(
    'every twelfth of them is what redis-server of that version still answers',
    async ({ skip }) => {
      const file = `redis-server-${await versionHere()}.txt`
      if (!readdirSync(FOLDER).includes(file)) skip(`no transcripts of ${file.slice(0, -4)}`)
      const kept = readTranscripts(readFileSync(`${FOLDER}/${file}`, 'latin1'))
      for (const one of kept.filter((_, at) => at % EVERY === 0)) {
        const again = withoutChance(one, await ask(one))
        expect(again.replies).toEqual(one.replies)
      }
    },
  )

  test.runIf(process.env.VEDETTE_RECORD !== undefined)(
    'are recorded',
    async () => {
      const text = (await recordTranscripts(SCRIPTS)).map(transcriptText).join('')
      writeFileSync(`${FOLDER}/redis-server-${await versionHere()}.txt`, text, 'latin1')
    },
    RECORDING_MS,
  )
})

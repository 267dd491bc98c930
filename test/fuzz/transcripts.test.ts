/** What a redis-server answered once, which every drawn run asks our node. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { drawTranscripts, judgeTranscript } from '../../src/fuzz/transcripts/judge.ts'
import {
  readTranscripts,
  type Transcript,
  transcriptText,
} from '../../src/fuzz/transcripts/transcript.ts'

const FOLDER = fileURLToPath(new URL('../../transcripts', import.meta.url))
const ALL = readdirSync(FOLDER).flatMap((file) =>
  readTranscripts(readFileSync(`${FOLDER}/${file}`, 'latin1')),
)

test('our node and our Sentinel answer all of them alike', () => {
  expect(ALL.map(judgeTranscript).filter((failure) => failure !== undefined)).toEqual([])
})

test('two hundred seeds draw nearly all of them', () => {
  const drawn = new Set<Transcript>()
  for (let seed = 1; seed <= 200; seed++) {
    for (const one of drawTranscripts(`${seed}`, ALL)) drawn.add(one)
  }
  expect(drawn.size).toBeGreaterThan(0.97 * ALL.length)
})

test('nine in ten answers are compared', () => {
  const replies = ALL.flatMap((one) => one.replies)
  expect(replies.filter((one) => one !== undefined).length).toBeGreaterThan(0.9 * replies.length)
})

describe('a transcript', () => {
  const one: Transcript = {
    ...{ program: 'redis-server', name: 'x', protocol: '3', atMs: 5 },
    commands: [['SET', 'k', ' \r\n"\xff'], ['GET', ''], ['TIME']],
    replies: ['+OK\r\n', '_\r\n', undefined],
  }

  test('reads as it was written, whatever bytes are in it', () => {
    expect(readTranscripts(transcriptText(one) + transcriptText(one))).toEqual([one, one])
  })

  test('of another answer is a failure that names the command and both answers', () => {
    const wrong = judgeTranscript({ ...one, replies: ['+OK\r\n', '$1\r\nx\r\n', undefined] })
    expect(wrong?.text).toBe('x, RESP3: GET "": "_\\r\\n"; redis-server: "$1\\r\\nx\\r\\n"')
  })

  test('that is longer or shorter than the answers is a failure', () => {
    expect(judgeTranscript({ ...one, replies: ['+OK\r\n', '_\r\n'] })?.text).toMatch(
      /redis-server: nothing$/,
    )
    const more = [...one.replies, '+OK\r\n']
    expect(judgeTranscript({ ...one, replies: more })?.text).toMatch(/: nothing; redis-server/)
  })
})

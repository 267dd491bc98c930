/**
 * What a RESP3 client is told while another one sends commands: the push frames that come with each
 * of them, from our node and from a real redis-server.
 */
import { connect } from 'node:net'
import { itemSlices, replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { HOST } from './real-nodes.ts'
import { transcript } from './transcript.ts'

type Commands = readonly (readonly string[])[]

export interface PushDifference {
  readonly command: readonly string[]
  readonly pushes: readonly [ours: readonly string[], theirs: readonly string[]]
}

/** What happens: `listen` on the connection that is told, `before` and `commands` on another one. */
export interface PushRun {
  readonly listen: Commands
  readonly before: Commands
  readonly commands: Commands
}

/** A message on this channel tells where the frames of one command end. */
const MARK = '--mark--'

/** The commands of which the two servers tell something else. */
export async function toldDifferently(
  ports: readonly [number, number],
  run: PushRun,
): Promise<PushDifference[]> {
  const [ours, theirs] = await Promise.all(ports.map((port) => pushesOf(port, run)))
  return run.commands.flatMap((command, at) => {
    const pushes = [ours?.[at] ?? ['(nothing)'], theirs?.[at] ?? ['(nothing)']] as const
    return pushes[0].join('|') === pushes[1].join('|') ? [] : [{ command, pushes }]
  })
}

/** The frames of each command, as words. */
export function pushesOf(port: number, { listen, before, commands }: PushRun): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST)
    let received = ''
    let isListening = false
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.write(
      [['HELLO', '3'], ['SUBSCRIBE', MARK], ...listen, ['PING', MARK]].map(encodeCommand).join(''),
      'latin1',
    )
    const marked = commands.flatMap((command) => [command, ['PUBLISH', MARK, '']])
    const sent = [...before, ['PUBLISH', MARK, ''], ...marked].map((words) => [...words])
    socket.on('data', (bytes) => {
      received += bytes
      if (!isListening && received.endsWith(`$${MARK.length}\r\n${MARK}\r\n`)) {
        isListening = true
        received = ''
        transcript(port, sent)
          .then(async () => transcript(port, [['PUBLISH', MARK, 'end']]))
          .catch(reject)
      }
      if (!received.endsWith('end\r\n')) return
      socket.destroy()
      resolve(framesOf(received))
    })
  })
}

function framesOf(bytes: string): string[][] {
  const told: string[][] = [[]]
  for (const slice of replySlices(bytes)) {
    if (slice.includes(`\r\n${MARK}\r\n`)) told.push([])
    else told.at(-1)?.push(wordsOf(slice))
  }
  return told.slice(1)
}

/** The frame on one line, without what only names its parts. */
function wordsOf(frame: string): string {
  const items = itemSlices(frame)
  if (items.length === 0) return frame.replace(/^\$\d+\r\n|\r\n$/g, '')
  return items.map(wordsOf).join(' ')
}

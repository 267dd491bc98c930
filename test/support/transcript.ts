/** Scripts of commands, and a server's answers to them, byte for byte. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { splitArgs } from '../../src/base/split-args.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import { HOST } from './real-nodes.ts'

/** Its answer shows that everything before it has been answered. */
const END = '--the end--'
/** A server says nothing for as long only if it waits for something that never comes. */
const SILENCE_MS = 30_000

/** One command per line, quoted as for redis-cli; `#` begins a comment. */
export function readScript(path: string): string[][] {
  const lines = readFileSync(path, 'latin1').split('\n')
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => splitArgs(line) ?? [])
}

/** Everything a server answers to one pipeline of commands, as lines. */
export function transcript(port: number, commands: readonly string[][]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST)
    let received = ''
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => resolve(received.split('\r\n')))
    socket.setTimeout(SILENCE_MS, () => {
      socket.destroy(new Error(`port ${port} is silent after ${received.slice(-200)}`))
    })
    socket.on('data', (bytes) => {
      received += bytes
      if (received.includes(END)) socket.end()
    })
    socket.write([...commands, ['PING', END]].map(encodeCommand).join(''), 'latin1')
  })
}

/** What a replica of the server receives while the commands run, without the server's own pings. */
export function streamOf(port: number, commands: readonly string[][]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST)
    const decoder = new RequestDecoder()
    const told: string[] = []
    let start: string | undefined = ''
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => resolve(told))
    socket.write(encodeCommand(['PSYNC', '?', '-1']))
    socket.on('data', (bytes) => {
      if (start !== undefined) {
        start += bytes
        const rest = afterPayload(start)
        if (rest === undefined) return
        start = undefined
        decoder.push(rest)
        void transcript(port, [...commands, ['PUBLISH', END, '']]).catch(reject)
      } else {
        decoder.push(String(bytes))
      }
      for (let request = decoder.next(); request?.kind === 'command'; request = decoder.next()) {
        if (request.argv[1] === END) {
          socket.destroy()
          return
        }
        if (!/^(ping|replconf)$/i.test(request.argv[0] ?? '')) told.push(shown(request.argv))
      }
    })
  })
}

/** What follows the snapshot; undefined if that has not arrived completely. */
function afterPayload(bytes: string): string | undefined {
  const header = /\$(\d+)\r\n/.exec(bytes)
  if (header === null) return undefined
  const end = header.index + header[0].length + Number(header[1])
  return bytes.length < end ? undefined : bytes.slice(end)
}

/** Moments depend on when the test runs. */
function shown(argv: readonly string[]): string {
  return JSON.stringify(argv).replace(/"1[789]\d{11}"/g, '"<now>"')
}

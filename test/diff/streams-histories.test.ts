/**
 * Random histories of stream commands, to our node and to a real redis-server: the same replies, the same
 * word to replicas. Nodes of few entries and few bytes, deleted entries and trimming "about" meet here in
 * ways nobody would write down; what is left out is time, and XSETID back behind a deleted entry, after
 * which Redis' nodes are not in order any more.
 */
import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'
import { streamOf, transcript } from '../support/transcript.ts'

const COMMANDS = 700
const TEXTS = ['', 'x', '1', '-5', '128', '4096', '-4097', '32768', '99999999999', '007']

class Author {
  readonly #rng: Rng
  /** How fast time passes. */
  readonly #strideMs: number
  /** About where the streams end. */
  #ms = 1

  constructor(seed: string) {
    this.#rng = createRng(seed)
    this.#strideMs = this.#pick([1, 3, 30])
  }

  write(): string[][] {
    return Array.from({ length: COMMANDS }, () => this.#command().split(' '))
  }

  #command(): string {
    const kind = this.#below(100)
    if (kind < 40) return this.#add()
    if (kind < 46) return `XTRIM ${this.#key()} ${this.#trim()}`
    if (kind < 55) return `XDEL ${this.#key()} ${this.#id()} ${this.#id()}`
    if (kind < 62) return this.#group()
    if (kind < 80) return this.#reading()
    return this.#question()
  }

  #add(): string {
    if (this.#below(3) === 0) this.#ms += this.#below(this.#strideMs + 1)
    const trim = this.#below(5) === 0 ? `${this.#trim()} ` : ''
    const id = this.#pick([`${this.#ms}-*`, `${this.#ms}-*`, `${this.#ms}-*`, this.#id()])
    const value = this.#pick([
      ...TEXTS,
      'y'.repeat(this.#below(200)),
      'z'.repeat(this.#below(4500)),
    ])
    const pairs = this.#pick(['f v', 'f v', `f ${value || '-'}`, `${value || '-'} v`, 'f v g w'])
    return `XADD ${this.#key()} ${trim}${id} ${pairs}`
  }

  #trim(): string {
    const limit = this.#pick(['', ` LIMIT ${this.#below(200)}`])
    return this.#pick([
      `MAXLEN ${this.#below(50)}`,
      `MAXLEN ~ ${this.#below(300)}${limit}`,
      `MINID ${this.#id()}`,
      `MINID ~ ${this.#id()}${limit}`,
    ])
  }

  #group(): string {
    const place = `${this.#key()} ${this.#pick(['g', 'h'])}`
    const read = this.#pick(['', ` ENTRIESREAD ${this.#below(50)}`])
    return this.#pick([
      `XGROUP CREATE ${place} ${this.#pick(['0', '$', this.#id()])}${read}`,
      `XGROUP CREATE ${place} 0 MKSTREAM`,
      `XGROUP SETID ${place} ${this.#pick(['0', '$', this.#id()])}${read}`,
      `XGROUP DELCONSUMER ${place} ${this.#consumer()}`,
      this.#below(4) === 0 ? `XGROUP DESTROY ${place}` : `XGROUP CREATECONSUMER ${place} c`,
      `CONFIG SET stream-node-max-entries ${this.#pick(['100', '5', '0'])}`,
      `CONFIG SET stream-node-max-bytes ${this.#pick(['4096', '0', '200'])}`,
    ])
  }

  #reading(): string {
    const [key, group, consumer] = [this.#key(), this.#pick(['g', 'h']), this.#consumer()]
    const count = this.#pick(['', ` COUNT ${this.#below(5)}`])
    const place = `${key} ${group} ${consumer}`
    return this.#pick([
      `XREADGROUP GROUP ${group} ${consumer}${count} STREAMS ${key} >`,
      `XREADGROUP GROUP ${group} ${consumer}${count} STREAMS ${key} >`,
      `XREADGROUP GROUP ${group} ${consumer}${count} NOACK STREAMS ${key} >`,
      `XREADGROUP GROUP ${group} ${consumer}${count} STREAMS ${key} ${this.#id()}`,
      `XACK ${key} ${group} ${this.#id()} ${this.#id()}`,
      `XCLAIM ${place} 0 ${this.#id()} ${this.#id()} TIME 5000${this.#pick(['', ' FORCE', ' JUSTID'])}`,
      `XCLAIM ${place} 0 ${this.#id()} LASTID ${this.#id()}`,
      `XAUTOCLAIM ${place} 0 ${this.#id()} COUNT 3${this.#pick(['', ' JUSTID'])}`,
    ])
  }

  #question(): string {
    const key = this.#key()
    const [from, to] = [this.#pick(['-', this.#id()]), this.#pick(['+', `(${this.#id()}`])]
    return this.#pick([
      `XINFO STREAM ${key}`,
      `XINFO GROUPS ${key}`,
      `XINFO STREAM ${key} FULL COUNT 0`,
      `XPENDING ${key} g`,
      `XRANGE ${key} ${from} ${to}`,
      `XREVRANGE ${key} ${to} ${from} COUNT 3`,
      `XREAD COUNT 2 STREAMS s t ${this.#id()} ${this.#id()}`,
      'DEBUG DIGEST',
      this.#below(8) === 0 ? `DEL ${key}` : 'COPY s t REPLACE',
      `XSETID ${key} ${this.#ms}-1000 ENTRIESADDED ${this.#below(900)}`,
    ])
  }

  #id(): string {
    const ms = Math.max(0, this.#ms - this.#below(this.#pick([2, 9, 60]) * this.#strideMs))
    return this.#pick([`${ms}`, `${ms}-${this.#below(4)}`, `${this.#ms}-${this.#below(99)}`])
  }

  #key(): string {
    return this.#pick(['s', 's', 's', 't'])
  }

  #consumer(): string {
    return this.#pick(['a', 'b', 'c'])
  }

  #below(limit: number): number {
    return this.#rng.below(Math.floor(limit))
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T
  }
}

describe.skipIf(!hasRedisServer)('against a real redis-server', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes', 'repl-diskless-sync-delay': '0' })

  async function anew({ client }: RealNode): Promise<void> {
    await client.flushall()
    await client.config('SET', 'stream-node-max-entries', '100')
    await client.config('SET', 'stream-node-max-bytes', '4096')
  }

  test.each(['one', 'two', 'three', 'four', 'five', 'six'])(
    'history %s goes alike',
    async (seed) => {
      const commands = new Author(seed).write()
      const replies: string[][] = []
      const told: string[][] = []
      for (const server of servers) {
        await anew(server)
        const lines = await transcript(server.port, commands)
        replies.push(lines.map((line) => line.replace(/^:1[789]\d{11}$/, ':<now>')))
        await anew(server)
        told.push(await streamOf(server.port, commands))
      }
      expect(replies[0]).toEqual(replies[1])
      expect(told[0]).toEqual(told[1])
      expect(told[0]?.length).toBeGreaterThan(150)
    },
  )
})

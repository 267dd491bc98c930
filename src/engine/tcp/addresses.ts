/**
 * Loopback addresses of one world. Every process has two: the one it announces, where the network
 * of the world listens in its place, and a hidden one, where it really listens. Several worlds may
 * exist at once, in one process or in many: each takes a block that no other world has.
 */
import { createServer, type Server } from 'node:net'
import { assert } from '../../base/assert.ts'

/** 127.64.0.0 to 127.127.127.255: other programs are unlikely to use any of it. */
const FIRST = 64
const BLOCKS = 64 * 128
/** The world that listens here has the block. No host has this number. */
const CLAIM_NUMBER = 254
const CLAIM_PORT = 26_378
const ATTEMPTS_MAX = 64
const HOSTS_MAX = 253
/** From an announced address to the hidden one. */
const HIDDEN_OFFSET = 128

export class AddressBlock {
  readonly #block: number
  readonly #claim: Server

  constructor(block: number, claim: Server) {
    this.#block = block
    this.#claim = claim
  }

  /** The address of the n-th host, from 1 on. */
  announced(number: number): string {
    assert(number <= HOSTS_MAX, `at most ${HOSTS_MAX} addresses in one world`)
    return `${prefixOf(this.#block)}.${number}`
  }

  /** Gives the block back. */
  release(): Promise<void> {
    return new Promise((resolve) => this.#claim.close(() => resolve()))
  }
}

/** Where the process that announces this address really listens. */
export function hiddenAddress(announced: string): string {
  const [a, b, c, d] = announced.split('.')
  return `${a}.${b}.${Number(c) + HIDDEN_OFFSET}.${d}`
}

/** Takes a free block. Rejects if loopback addresses cannot be bound at all. */
export async function claimBlock(): Promise<AddressBlock> {
  let failure: unknown
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const block = Math.floor(Math.random() * BLOCKS)
    try {
      return new AddressBlock(block, await listenAt(`${prefixOf(block)}.${CLAIM_NUMBER}`))
    } catch (error) {
      failure = error
    }
  }
  throw new Error(
    `no block of loopback addresses is free in 127.64.0.0/10: ${String(failure)}; ` +
      'on systems other than Linux they have to be added to the loopback interface first',
  )
}

function prefixOf(block: number): string {
  return `127.${FIRST + Math.floor(block / 128)}.${block % 128}`
}

function listenAt(host: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port: CLAIM_PORT }, () => resolve(server))
  })
}

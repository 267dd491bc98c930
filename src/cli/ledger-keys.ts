/** What a server has of the keys a ledger names: whatever is there may be newer than the ledger. */
import type { Redis } from 'ioredis'
import type { LedgerCommand } from '../server/ledger/ledger-reader.ts'
import { keysIn, word } from './ledger-file.ts'

const SHOWN_KEYS = 20

export interface LedgerKey {
  readonly db: number
  readonly key: string
  /** As TYPE says; `none` where the server does not have it. */
  readonly type: string
}

/** Each key once, in the order of the ledger. The connection is back in database 0. */
export async function keysThere(
  client: Redis,
  commands: readonly LedgerCommand[],
): Promise<readonly LedgerKey[]> {
  const found = new Map<string, LedgerKey>()
  let selected = 0
  for (const command of commands) {
    const { db } = command
    for (const key of keysIn(command)) {
      if (found.has(keyName(db, key))) continue
      if (db !== selected) await client.select(db)
      selected = db
      const type = await client.type(Buffer.from(key, 'latin1'))
      found.set(keyName(db, key), { db, key, type })
    }
  }
  if (selected !== 0) await client.select(0)
  return [...found.values()]
}

export function keyName(db: number, key: string): string {
  return `${db}:${key}`
}

export function isTaken({ type }: LedgerKey): boolean {
  return type !== 'none'
}

/** For people: what sending the ledger would write over, and what would only come back. */
export function keyLines(keys: readonly LedgerKey[]): string[] {
  const taken = keys.filter(isTaken)
  const free = keys.filter((key) => !isTaken(key))
  return [
    `there now, perhaps newer: ${listed(taken, ({ type }) => ` (${type})`)}`,
    `not there:                ${listed(free, () => '')}`,
  ]
}

function listed(keys: readonly LedgerKey[], suffix: (key: LedgerKey) => string): string {
  if (keys.length === 0) return 'none'
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => {
    const db = key.db === 0 ? '' : `[${key.db}] `
    return `${db}${word(key.key)}${suffix(key)}`
  })
  const more = keys.length > SHOWN_KEYS ? `, … (${keys.length - SHOWN_KEYS} more)` : ''
  return `${shown.join(', ')}${more}`
}

/** Values as DUMP of Redis 7.0 wrote them, for RESTORE. */
import type { HeldValue } from './holdings.ts'

const WRITTEN: readonly (readonly [hex: string, value: HeldValue])[] = [
  ['0008726573746f7265640a00b565b8d8d26f0af4', { type: 'string', text: 'restored' }],
  [
    '12010211110000000200836f6e65048374776f04ff0a00b27ccbb8c0014a06',
    { type: 'list', items: ['one', 'two'] },
  ],
  [
    '101414000000040081660201018167028374776f04ff0a00e318742b61db6fdf',
    {
      type: 'hash',
      fields: new Map([
        ['f', '1'],
        ['g', 'two'],
      ]),
    },
  ],
  [
    '111414000000040081610283312e35048162020201ff0a00fa02b425af188763',
    {
      type: 'zset',
      scores: new Map([
        ['a', 1.5],
        ['b', 2],
      ]),
    },
  ],
  [
    '0b0e02000000030000000100020003000a00a5025ce26d6e4d1b',
    { type: 'set', members: new Set(['1', '2', '3']) },
  ],
  ['0202017801790a00ac3a8d681184aa31', { type: 'set', members: new Set(['x', 'y']) }],
]

export const PAYLOADS: ReadonlyMap<string, HeldValue> = new Map(
  WRITTEN.map(([hex, value]) => [bytesOf(hex), value]),
)

/** One character is one byte. */
function bytesOf(hex: string): string {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
}

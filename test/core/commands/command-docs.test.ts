/** COMMAND DOCS of a Sentinel: arguments, from which redis-cli tells what comes next. */
import { expect, test } from 'vitest'
import { commandDocs } from '../../../src/core/commands/command-docs.ts'
import { COMMANDS } from '../../../src/core/commands/table.ts'
import type { Reply } from '../../../src/resp/reply.ts'

interface Shown {
  readonly name: string
  readonly type: string
  readonly token?: string
  readonly flags?: readonly string[]
  readonly arguments?: readonly Shown[]
}

/** Maps as objects, everything else as what it is. */
function plain(reply: Reply): unknown {
  switch (reply.kind) {
    case 'map':
      return Object.fromEntries(reply.entries.map(([key, value]) => [plain(key), plain(value)]))
    case 'array':
    case 'set':
      return reply.items.map(plain)
    case 'bulk':
      return reply.bytes
    case 'simple':
      return reply.text
    default:
      return reply.kind
  }
}

/** As HELP would show it. */
function line({ type, name, token, flags = [], arguments: parts = [] }: Shown): string {
  const inner = parts.map(line).join(type === 'oneof' ? ' | ' : ' ')
  const value = type === 'string' ? `<${name}>` : type === 'pure-token' ? '' : inner
  const text = [token, value].filter(Boolean).join(' ')
  const isRepeated = flags.includes('multiple')
  if (flags.includes('optional')) return isRepeated ? `[${text} ...]` : `[${text}]`
  return isRepeated ? `${text}...` : text
}

const ALL = [...COMMANDS.values()].flatMap((one) => [one, ...one.subcommands.values()])

test('the arguments of every command read as the line of HELP that they come from', () => {
  for (const one of ALL) {
    const docs = plain(commandDocs([one])) as Record<string, { arguments?: Shown[] }>
    const parts = docs[one.name]?.arguments ?? []
    const usage = one.usage.replaceAll('|', ' | ').replaceAll(/ +/g, ' ')
    const top = parts.map(line).join(' ')
    expect(top, one.name).toBe(usage)
  }
})

test('a fixed word and what follows it are one argument, with the word as its token', () => {
  const failover = ALL.find(({ name }) => name === 'sentinel|failover')
  const docs = plain(commandDocs(failover === undefined ? [] : [failover]))
  expect(docs).toMatchObject({
    'sentinel|failover': {
      arguments: [
        { name: 'master-name', type: 'string' },
        { name: 'coordinated', type: 'pure-token', token: 'COORDINATED', flags: ['optional'] },
        { name: 'to', type: 'block', token: 'TO', arguments: [{ name: 'host' }, { name: 'port' }] },
        { name: 'dryrun', type: 'pure-token', token: 'DRYRUN' },
      ],
    },
  })
})

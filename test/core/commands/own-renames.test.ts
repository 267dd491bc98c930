import { expect, test } from 'vitest'
import type { RenamedCommand } from '../../../src/core/group-option-kinds.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'

const RENAMES: readonly RenamedCommand[] = [
  ['role', ''],
  ['client', 'Visitor'],
  ['ping', 'info'],
  ['info', 'ping'],
]

function connect() {
  return new TestSentinel({ ownRenamedCommands: RENAMES }).connect()
}

test('a renamed command is known by its new name in either case, and by that alone', () => {
  const client = connect()
  expect(client.ask('visitor ID')).toBe(':1\r\n')
  expect(client.ask('CLIENT ID')).toMatch(/^-ERR unknown command 'CLIENT'/)
})

test('two commands may take each other’s names', () => {
  const client = connect()
  expect(client.ask('INFO')).toBe('+PONG\r\n')
  expect(client.ask('PING')).toContain('# Server')
})

test('a command that is switched off is unknown, and not shown', () => {
  const client = connect()
  expect(client.ask('ROLE')).toMatch(/^-ERR unknown command 'ROLE'/)
  expect(client.ask('COMMAND LIST')).not.toContain('$4\r\nrole\r\n')
  const count = new TestSentinel().connect().ask('COMMAND COUNT')
  expect(client.ask('COMMAND COUNT')).toBe(`:${Number(count.slice(1)) - 1}\r\n`)
})

test('error texts call a command by its own name, but for the HELP that is to be asked', () => {
  expect(connect().ask('Visitor LIST a b c')).toBe('-ERR syntax error\r\n')
  expect(connect().ask('visitor ID x')).toBe(
    "-ERR wrong number of arguments for 'client|id' command\r\n",
  )
  expect(connect().ask('visitor nope')).toBe(
    "-ERR unknown subcommand 'nope'. Try VISITOR HELP.\r\n",
  )
})

test('COMMAND INFO is asked by the name that can be called', () => {
  const client = connect()
  expect(client.ask('COMMAND INFO visitor|id')).toContain('client|id')
  expect(client.ask('COMMAND INFO client|id')).toBe('*1\r\n$-1\r\n')
})

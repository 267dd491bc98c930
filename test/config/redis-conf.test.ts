import { expect, test } from 'vitest'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { formatProblem } from '../../src/config/problem.ts'
import {
  type DirectiveCheck,
  parseRedisConf,
  UNKNOWN_DIRECTIVE,
} from '../../src/config/redis-conf.ts'

const KNOWN = ['port', 'save', 'replicaof', 'slaveof', 'requirepass', 'client-output-buffer-limit']

const check: DirectiveCheck = (name, args) => {
  if (!KNOWN.includes(name)) return UNKNOWN_DIRECTIVE
  return name === 'port' && args[0] === 'x'
    ? "argument couldn't be parsed into an integer"
    : undefined
}

function parse(text: string, overrides: string[] = []) {
  const { settings, problems } = parseRedisConf(text, 'r.conf', overrides, check, KNOWN)
  return { settings: [...settings], problems: problems.map(formatProblem) }
}

test('lines become settings, and the command line has the last word', () => {
  const text = '# a comment\nport 6379\nREQUIREPASS "a b"\nreplicaof 127.0.0.1 6379\n'
  expect(parse(text, ['--port', '7000', '--requirepass', 'é'])).toEqual({
    settings: [
      ['replicaof', '127.0.0.1 6379'],
      ['port', '7000'],
      ['requirepass', '\xc3\xa9'],
    ],
    problems: [],
  })
})

test('save lines add up until an empty one takes them back', () => {
  expect(parse('save 3600 1\nsave 300 100').settings).toEqual([['save', '3600 1 300 100']])
  expect(parse('save 3600 1\nsave ""').settings).toEqual([['save', '']])
  expect(parse('save').settings).toEqual([['save', '']])
  expect(parse('save 3600 1\nsave').settings).toEqual([['save', '3600 1']])
  expect(parse('save 3600 1\nsave ""\nsave 60 1').settings).toEqual([['save', '60 1']])
})

test('output limits of several classes add up', () => {
  const text = 'client-output-buffer-limit normal 0 0 0\nclient-output-buffer-limit pubsub 1 1 1'
  expect(parse(text).settings).toEqual([
    ['client-output-buffer-limit', 'normal 0 0 0 pubsub 1 1 1'],
  ])
})

test('every wrong line is told, and the sound ones stand', () => {
  const text = 'port x\nprot 1\nsave "\ninclude other.conf\nsentinel myid x\nreplicaof no one'
  expect(parse(text, ['stray'])).toEqual({
    settings: [['replicaof', 'no one']],
    problems: [
      "r.conf:1:1  port  argument couldn't be parsed into an integer",
      'r.conf:2:1  prot  Bad directive or wrong number of arguments  (did you mean port?)',
      'r.conf:3:1  Unbalanced quotes in configuration line  (close the quote, and put a blank after it)',
      "r.conf:4:1  include  can't open config file 'other.conf': other files are not read here",
      'r.conf:5:1  sentinel  sentinel directive while not in sentinel mode  (this is a file for vedette sentinel)',
      'command line  stray  Bad directive or wrong number of arguments  (no directive has this name: take it out)',
    ],
  })
})

test('--include on the command line reads the file there, from the last dir', () => {
  const asked: unknown[] = []
  const outside = {
    ...NO_OUTSIDE,
    include(name: string, folder: string | undefined) {
      asked.push([name, folder])
      return { ok: true, files: [{ name: '/srv/replica.conf', text: 'port 2\nprot 3' }] } as const
    },
  }
  const overrides = ['--port', '1', '--include', 'replica.conf', '--requirepass', 'x']
  const parsed = parseRedisConf('dir /srv', 'r.conf', overrides, check, KNOWN, outside)
  expect(asked).toEqual([['replica.conf', '/srv']])
  expect([...parsed.settings]).toEqual([
    ['port', '2'],
    ['requirepass', 'x'],
  ])
  expect(parsed.problems.map(formatProblem)).toContain(
    '/srv/replica.conf:2:1  prot  Bad directive or wrong number of arguments  (did you mean port?)',
  )
})

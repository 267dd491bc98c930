/** What a wrong line is told with, as a redis-sentinel 7.0.15 was seen to tell it. */
import { describe, expect, test } from 'vitest'
import { NO_DATABASE_RULES } from '../../src/config/conf-lines.ts'
import { type ConfOutside, NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { formatFatal } from '../../src/config/fatal.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'

const MONITOR = 'sentinel monitor mm 127.0.0.1 6399 2'

function fatalText(lines: readonly string[], overrides: string[] = [], outside?: ConfOutside) {
  const parsed = parseSentinelConf(`${lines.join('\n')}\n`, 's.conf', overrides, outside)
  if (parsed.ok || parsed.fatal === undefined) throw new Error('no fatal error')
  return formatFatal(parsed.fatal)
}

function told(number: number, line: string, reason: string): string {
  return `
*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***
Reading the configuration file, at line ${number}
>>> '${line}'
${reason}
`
}

describe('the line, as it stands', () => {
  test.each([
    ['  sentinel   monitor mm 127.0.0.1 1 0  ', 'sentinel   monitor mm 127.0.0.1 1 0'],
    ['sentinel\tmonitor mm 127.0.0.1 1 0\r', 'sentinel\tmonitor mm 127.0.0.1 1 0'],
    ['sentinel "monitor" mm 127.0.0.1 1 "0"', 'sentinel "monitor" mm 127.0.0.1 1 "0"'],
  ])('%j', (line, shown) => {
    expect(fatalText(['port 1', 'dir /', line])).toBe(
      told(3, shown, 'Quorum must be 1 or greater.'),
    )
  })
})

describe('of several wrong lines the one Redis would have met first', () => {
  test('ordinary lines come before those of Sentinel', () => {
    const lines = ['sentinel auth-pass zz x', MONITOR, 'foo']
    expect(fatalText(lines)).toBe(told(3, 'foo', 'Bad directive or wrong number of arguments'))
  })

  test('lines about all groups come before groups, and groups before lines about one', () => {
    const wrong = ['sentinel auth-pass zz x', MONITOR, 'sentinel monitor mm 127.0.0.1 1 1']
    const id = 'sentinel myid a'
    expect(fatalText([...wrong, id])).toBe(told(4, id, 'Malformed Sentinel id in myid option.'))
    expect(fatalText(wrong)).toBe(told(3, wrong[2] ?? '', 'Duplicate master name.'))
    expect(fatalText(wrong.slice(0, 2))).toBe(
      told(1, wrong[0] ?? '', 'No such master with specified name.'),
    )
  })

  test('words Sentinel does not know are met last', () => {
    const lines = ['sentinel nonsense', 'sentinel myid a']
    expect(fatalText(lines)).toContain('at line 2')
  })
})

describe('the command line goes on after the file', () => {
  const file = ['port 31790', 'dir /tmp']
  test.each([
    [['--port', 'abc'], 4, 'port "abc"', "argument couldn't be parsed into an integer"],
    [['--port'], 4, 'port', 'wrong number of arguments'],
    [
      ['--port', '31791', '--foo', 'bar'],
      5,
      'foo "bar"',
      'Bad directive or wrong number of arguments',
    ],
    [['foo'], 4, '"foo"', 'Bad directive or wrong number of arguments'],
    [['--port x'], 4, 'port x', "argument couldn't be parsed into an integer"],
    [
      ['--sentinel', 'monitor', 'mm', '127.0.0.1', '1', '0'],
      4,
      'sentinel "monitor" "mm" "127.0.0.1" "1" "0"',
      'Quorum must be 1 or greater.',
    ],
  ])('%j', (overrides, number, line, reason) => {
    expect(fatalText(file, overrides)).toBe(told(number, line, reason))
  })

  test('a value may begin with two dashes, after the name of its option', () => {
    const parsed = parseSentinelConf('', 's.conf', ['--requirepass', '--secret', '--port', '5'])
    expect(parsed).toMatchObject({
      ok: true,
      value: { core: { requirepass: '--secret', port: 5 } },
    })
  })

  test('--include reads a file there', () => {
    const include = () => ({ ok: true, files: [{ name: 'more.conf', text: 'port 5' }] }) as const
    const parsed = parseSentinelConf('', 's.conf', ['--include', 'x'], { ...NO_OUTSIDE, include })
    expect(parsed).toMatchObject({ ok: true, value: { core: { port: 5 } } })
  })

  test('--sentinel alone means nothing here', () => {
    const parsed = parseSentinelConf('', 's.conf', ['--sentinel', '--port', '5'])
    expect(parsed).toMatchObject({ ok: true, value: { core: { port: 5 } }, warnings: [] })
  })
})

describe('what only the machine can tell', () => {
  const nothing: ConfOutside = {
    ...NO_OUTSIDE,
    include: (path) => ({ ok: false, path, reason: 'No such file or directory' }),
    isExecutable: () => false,
    folderFault: () => 'No such file or directory',
  }
  test.each([
    [
      'sentinel notification-script mm /nonexistent',
      'Notification script seems non existing or non executable.',
    ],
    [
      'sentinel client-reconfig-script mm /nonexistent',
      'Client reconfiguration script seems non existing or non executable.',
    ],
    ['dir /nonexistent', 'No such file or directory'],
  ])('%s', (line, reason) => {
    expect(fatalText([MONITOR, line], [], nothing)).toBe(told(2, line, reason))
  })

  test('a file that cannot be included has a line of its own', () => {
    expect(fatalText(['include /nonexistent/x'], [], nothing)).toBe(
      "Fatal error, can't open config file '/nonexistent/x': No such file or directory\n",
    )
  })

  test('scripts are looked for from dir', () => {
    const asked: string[] = []
    const outside = {
      ...nothing,
      folderFault: () => undefined,
      isExecutable: (path: string) => asked.push(path) > 0,
    }
    const text = `${MONITOR}\nsentinel notification-script mm notify.sh\ndir /var/lib\n`
    parseSentinelConf(text, 's.conf', [], outside)
    expect(asked).toEqual(['/var/lib/notify.sh'])
  })
})

describe('include', () => {
  const files: Readonly<Record<string, string>> = {
    '/etc/more.conf': 'requirepass abc\nsentinel down-after-milliseconds mm 5\n',
    '/etc/wrong.conf': '\n\nfoo b\n',
    '/etc/itself.conf': 'include /etc/itself.conf\n',
  }
  const asked: (readonly [string, string | undefined])[] = []
  const outside: ConfOutside = {
    ...NO_OUTSIDE,
    include: (name, folder) => {
      asked.push([name, folder])
      return { ok: true, files: [{ name, text: files[name] ?? '' }] }
    },
    isExecutable: () => true,
    folderFault: () => undefined,
  }

  test('puts the lines of the other file there, those about groups too', () => {
    const text = `include /etc/more.conf\n${MONITOR}\n`
    const parsed = parseSentinelConf(text, 's.conf', [], outside)
    expect(parsed).toMatchObject({
      value: { core: { requirepass: 'abc', groups: [{ downAfterMs: 5 }] } },
    })
  })

  test('of several lines the last counts, wherever it stands', () => {
    const parsed = parseSentinelConf('include /etc/more.conf\nrequirepass x', 's', [], outside)
    expect(parsed).toMatchObject({ problems: [{ file: '/etc/more.conf', line: 2 }] })
    const sound = parseSentinelConf(
      `${MONITOR}\ninclude /etc/more.conf\nrequirepass x`,
      's',
      [],
      outside,
    )
    expect(sound).toMatchObject({ value: { core: { requirepass: 'x' } } })
  })

  test('a wrong line is counted in its own file', () => {
    const reason = 'Bad directive or wrong number of arguments'
    expect(fatalText(['port 1', 'include /etc/wrong.conf'], [], outside)).toBe(
      told(3, 'foo b', reason),
    )
  })

  test('a file that includes itself is refused, where Redis breaks down', () => {
    const parsed = parseSentinelConf('include /etc/itself.conf', 's.conf', [], outside)
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: 'files include each other more than 16 deep' }],
    })
  })

  test('looks from the last dir before it', () => {
    asked.length = 0
    parseSentinelConf('include a\ndir /srv\ninclude b\n', 's.conf', [], outside)
    expect(asked).toEqual([
      ['a', undefined],
      ['b', '/srv'],
    ])
  })
})

test('a data node is told of a wrong line in the same words', () => {
  const { fatal } = parseRedisConf('port 1\nsentinel myid x\n', 'r.conf', [], () => undefined)
  expect(fatal && formatFatal(fatal)).toBe(
    told(2, 'sentinel myid x', 'sentinel directive while not in sentinel mode'),
  )
})

test('a comment behind a value is refused as by Redis, with a word about it', () => {
  const sentinel = parseSentinelConf('sentinel monitor m 10.0.0.1 6379 2 # main', 's.conf')
  const node = parseRedisConf('port 1 # one', 'r.conf', [], () => 'wrong number of arguments')
  const hint = 'a comment needs a line of its own'
  expect(sentinel).toMatchObject({ ok: false, problems: [{ hint: `takes 4 words; ${hint}` }] })
  expect(node.problems).toMatchObject([{ message: 'wrong number of arguments', hint }])
})

test('a value in two words is told that it stands in quotes, and is not repeated', () => {
  const quotes = 'a value with blanks stands in quotes'
  const wrong = (text: string) => {
    const parsed = parseSentinelConf(text, 's.conf')
    return parsed.ok ? [] : parsed.problems.map(({ hint }) => hint)
  }
  expect(wrong('sentinel sentinel-pass x y')).toEqual([`takes 1 word; ${quotes}`])
  expect(wrong('sentinel sentinel-pass')).toEqual(['takes 1 word'])
  expect(wrong('requirepass x y')).toEqual([quotes])
  expect(wrong('sentinel monitor m 10.0.0.1 6379 2\nsentinel auth-pass m x y')).toEqual([
    `takes a group name and 1 word; ${quotes}`,
  ])
  const node = parseRedisConf('masterauth x y', 'r.conf', [], () => 'wrong number of arguments')
  expect(node.problems).toMatchObject([{ hint: quotes }])
})

test('a word that begins with # hides no better hint: a password may', () => {
  const lines = ['sentinel monitor mymaster 10.0.0.1 6379 2', 'sentinel auth-pass mymastr #secret']
  const parsed = parseSentinelConf(lines.join('\n'), 's.conf')
  const hint = expect.stringContaining('mymaster')
  expect(parsed).toMatchObject({ ok: false, problems: [{ hint }] })
})

describe('a wrong user line', () => {
  const HASH = `#${'30c952fa'.repeat(8)}`
  const hintOf = (rules: string) => {
    const node = parseRedisConf(`user m ${rules}`, 'r.conf', [], () => 'Error in user declaration')
    const sentinel = parseSentinelConf(`user m ${rules}`, 's.conf')
    const problem = sentinel.ok ? undefined : sentinel.problems.find(({ path }) => path === 'user')
    expect(problem?.hint).toBe(node.problems[0]?.hint)
    return problem?.hint
  }

  test('has no comment because of the hash of a password', () => {
    expect(hintOf(`on ${HASH} +@nonsense`)).toBe('')
    expect(hintOf(`on ${HASH} +@all # main`)).toBe('a comment needs a line of its own')
  })

  test.each(['db=1,2', 'resetdbs', '(db=1 +ping)', '(+ping db=1)'])(
    'as Valkey 9.1 writes it, with %s, is told what these rules are',
    (rule) => expect(hintOf(`on ${HASH} resetchannels ${rule} +@all`)).toBe(NO_DATABASE_RULES),
  )
})

/**
 * Users, byte for byte: the same rules, logins and commands to our node and to a real redis-server. Only
 * what no two servers can agree on is masked: ages, connections, and the order of Redis' hash tables.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { splitArgs } from '../../src/base/split-args.ts'
import { isRedisName } from '../support/newer-commands.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { transcript } from '../support/transcript.ts'

const HASH = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

/** Each line is a command; each script begins with no user but the default one. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'flags and passwords': `
    ACL SETUSER x
    ACL SETUSER x ON >abc
    ACL SETUSER x #${HASH} >abc >def
    ACL GETUSER x
    ACL SETUSER x <def
    ACL SETUSER x <def
    ACL SETUSER x !${HASH}
    ACL SETUSER x !${HASH}
    ACL SETUSER x #${HASH.slice(1)}
    ACL SETUSER x #${HASH.toUpperCase()}
    ACL SETUSER x !abc
    ACL SETUSER x nopass
    ACL SETUSER x >a resetpass
    ACL SETUSER x skip-sanitize-payload
    ACL LIST
    ACL SETUSER x SANITIZE-PAYLOAD Off >
    ACL LIST
    ACL SETUSER x reset
    ACL LIST
    ACL GETUSER x
    ACL SETUSER y reset
    ACL LIST`,
  'names and words': `
    ACL SETUSER "a b" on
    ACL SETUSER "a\\x00b" on
    ACL SETUSER "a\\tb" on
    ACL SETUSER x ""
    ACL SETUSER x foo
    ACL SETUSER x on foo off
    ACL SETUSER x )
    ACL SETUSER "" on
    ACL USERS
    ACL SETUSER B on
    ACL SETUSER a on
    ACL SETUSER A on
    ACL USERS
    ACL GETUSER nosuch
    ACL GETUSER
    ACL GETUSER a b
    ACL DELUSER
    ACL DELUSER default
    ACL DELUSER a default
    ACL DELUSER a a nosuch B
    ACL USERS
    ACL`,
  'keys and channels': `
    ACL SETUSER x ~a ~b ~a %R~a %R~c %W~c %RW~d %wr~e %w~f
    ACL GETUSER x
    ACL SETUSER x %~a
    ACL SETUSER x %RR~a
    ACL SETUSER x %X~a
    ACL SETUSER x %
    ACL SETUSER x %R
    ACL SETUSER x ~ &
    ACL SETUSER x "~a b"
    ACL SETUSER x "&a b"
    ACL LIST
    ACL SETUSER x allkeys ~a
    ACL SETUSER x ~* %R~a
    ACL SETUSER x allchannels &a
    ACL SETUSER x &*
    ACL SETUSER x AllKeys
    ACL LIST
    ACL SETUSER x resetkeys resetchannels ~* resetkeys ~new &a* &a* &b
    ACL LIST
    ACL GETUSER x`,
  commands: `
    ACL SETUSER x +get
    ACL SETUSER x +
    ACL SETUSER x -
    ACL SETUSER x +nosuch
    ACL SETUSER x -nosuch
    ACL SETUSER x +@nosuch
    ACL SETUSER x +@
    ACL SETUSER x +get|
    ACL SETUSER x +nosuch|x
    ACL SETUSER x +config|nosuch
    ACL SETUSER x -config|nosuch
    ACL SETUSER x +config|get|x
    ACL SETUSER x -select|0
    ACL SETUSER x +SELECT|0 +select|1 +select|0
    ACL LIST
    ACL SETUSER x +select
    ACL LIST
    ACL SETUSER x -select +select|Foo +CONFIG|GET +client -client|kill
    ACL GETUSER x
    ACL SETUSER x +@all -get -config|set
    ACL LIST
    ACL SETUSER x -get +get|a
    ACL LIST
    ACL SETUSER x nocommands
    ACL LIST
    ACL SETUSER x allcommands -@all +ping
    ACL LIST`,
  selectors: `
    ACL SETUSER x (+get ~a*)
    ACL SETUSER x (+set %W~b* &c)
    ACL SETUSER x ( +ping )
    ACL SETUSER x ()
    ACL LIST
    ACL GETUSER x
    ACL SETUSER x (+get
    ACL SETUSER x on (+get ~a
    ACL SETUSER x ((+get)
    ACL SETUSER x (on)
    ACL SETUSER x (>a)
    ACL SETUSER x (allkeys ~b)
    ACL SETUSER x "(+get ~a" on)
    ACL SETUSER x clearselectors (+nosuch)
    ACL LIST
    ACL SETUSER x ClearSelectors
    ACL LIST`,
  'what a user may do': `
    ACL SETUSER p on nopass +get +set|a +mget +mset +publish +subscribe +punsubscribe +multi +exec ~a* %R~r* %W~w* &c*
    ACL SETUSER p (+set ~s* +psubscribe &p*) (+config|get)
    AUTH p whatever
    ACL WHOAMI
    GET a1
    GET r1
    GET w1
    GET b
    MGET a1 r1
    MGET a1 b
    MSET a1 1 w1 2
    MSET a1 1 r1 2
    SET a 1
    SET b 1
    SET s1 1
    SET s1 1 GET
    DEL a1
    PING
    CONFIG GET maxclients nosuch
    CONFIG SET maxclients 10
    CONFIG
    PUBLISH c1 x
    PUBLISH d x
    SUBSCRIBE d
    PSUBSCRIBE p*
    PUNSUBSCRIBE p*
    PSUBSCRIBE pp
    MULTI
    GET a1
    DEL a1
    EXEC
    MULTI
    GET b
    GET a1
    EXEC
    AUTH nosuch x
    HELLO 2 AUTH nosuch x
    AUTH default x
    ACL WHOAMI
    ACL LOG
    ACL LOG 2
    ACL LOG 0
    ACL LOG -1
    ACL LOG x
    ACL LOG RESET
    ACL LOG`,
  'rules that change in a transaction': `
    ACL SETUSER default on nopass ~* &* +@all
    MULTI
    SET k 1
    GET k
    PUBLISH ch x
    ACL SETUSER default -get resetkeys ~z resetchannels
    GET k
    SET k 2
    PUBLISH ch x
    GET z
    EXEC
    ACL SETUSER default +get allkeys allchannels
    ACL LOG`,
  'questions without a user': `
    ACL CAT
    ACL CAT nosuch
    ACL CAT a b
    ACL GENPASS x
    ACL GENPASS 0
    ACL GENPASS 4097
    ACL GENPASS -1
    ACL GENPASS 1 2
    ACL LOG 1 2
    ACL WHOAMI x
    ACL LOAD
    ACL SAVE
    ACL LOAD x
    ACL NOSUCH
    ACL DRYRUN
    ACL DRYRUN default
    ACL DRYRUN nosuch get a
    ACL DRYRUN default nosuch
    ACL DRYRUN default get
    ACL DRYRUN default config
    ACL DRYRUN default config nosuch
    ACL DRYRUN default config get x
    CLIENT KILL USER nosuch
    CLIENT KILL USER default
    AUTH x
    AUTH a b c
    AUTH nosuch x
    AUTH default anything
    COMMAND INFO acl|setuser acl|whoami acl|log acl|genpass acl|dryrun acl|deluser`,
  'the password of the default user': `
    CONFIG SET requirepass secret
    ACL LIST
    AUTH wrong
    AUTH secret
    AUTH default secret
    ACL SETUSER default >other
    AUTH other
    CONFIG GET requirepass
    CONFIG SET requirepass ""
    ACL LIST
    AUTH x
    ACL SETUSER default off
    PING
    AUTH default x
    ACL SETUSER default on
    AUTH default x`,
  'channels new users may use': `
    CONFIG SET acl-pubsub-default allchannels
    ACL SETUSER x
    ACL SETUSER x (+get)
    ACL SETUSER y reset
    ACL SETUSER z &a
    ACL LIST
    CONFIG SET acl-pubsub-default resetchannels
    ACL SETUSER x reset
    ACL LIST`,
}

describe.skipIf(!hasRedisServer)('against a real redis-server', () => {
  let ours: RealNode
  let theirs: RealNode

  beforeAll(async () => {
    ours = await startOurs()
    theirs = await startRedis()
  })

  afterAll(async () => {
    await ours.stop()
    await theirs.stop()
  })

  beforeEach(async () => {
    for (const { client } of [ours, theirs]) {
      for (const name of (await client.call('ACL', 'USERS')) as string[]) {
        if (name !== 'default') await client.call('ACL', 'DELUSER', name)
      }
      await client.call('ACL', 'LOG', 'RESET')
      await client.flushall()
    }
  })

  for (const [name, script] of Object.entries(SCRIPTS)) {
    for (const protocol of ['2', '3']) {
      test(`${name}: the same replies in RESP${protocol}`, async () => {
        const hello = [
          ['CLIENT', 'REPLY', 'SKIP'],
          ['HELLO', protocol],
        ]
        const lines = script.split('\n').map((line) => splitArgs(line) ?? [])
        const commands = [...hello, ...lines.filter((line) => line.length > 0)]
        const [a, b] = await Promise.all([
          transcript(ours.port, commands),
          transcript(theirs.port, commands),
        ])
        expect(masked(a)).toEqual(masked(b))
      })
    }
  }

  test('each category has the commands it has in Redis, as far as we have them', async () => {
    const known = new Set(await strings(ours, 'COMMAND', 'LIST'))
    for (const category of await strings(ours, 'ACL', 'CAT')) {
      const [mine, real] = await Promise.all(
        [ours, theirs].map((node) => strings(node, 'ACL', 'CAT', category)),
      )
      const shared = (real ?? []).filter((name) => known.has(name.split('|')[0] ?? ''))
      const missing = shared.filter((name) => known.has(name) && !mine?.includes(name))
      expect({ category, missing }).toEqual({ category, missing: [] })
      expect(mine?.filter((name) => !shared.includes(name)).filter(isRedisName)).toEqual([])
    }
  })

  test('users of random rules may do the same, command by command', async () => {
    const commands = await sampleCommands(ours)
    const rng = createRng('users')
    for (let round = 0; round < 25; round++) {
      const rules = Array.from({ length: 1 + rng.below(8) }, () => drawRule(rng, commands))
      const script = [
        ['ACL', 'SETUSER', 'r', 'reset', ...rules],
        ['ACL', 'LIST'],
        ...commands.map((argv) => ['ACL', 'DRYRUN', 'r', ...argv]),
      ]
      const [a, b] = await Promise.all([
        transcript(ours.port, script),
        transcript(theirs.port, script),
      ])
      expect({ rules, answers: masked(a) }).toEqual({ rules, answers: masked(b) })
    }
  }, 60_000)
})

async function strings(node: RealNode, ...argv: readonly string[]): Promise<string[]> {
  const [first = '', ...rest] = argv
  return (await node.client.call(first, ...rest)) as string[]
}

/** Each of our commands that Redis has, with as many ones behind it as it needs. */
async function sampleCommands(node: RealNode): Promise<string[][]> {
  const infos = (await node.client.call('COMMAND')) as [string, number, ...unknown[]][]
  const all = infos.flatMap((info) => [info, ...((info[9] ?? []) as typeof infos)])
  return all
    .filter(([name]) => isRedisName(name))
    .map(([name, arity]) => {
      const words = name.split('|')
      // Of a PFMERGE that names its target only, Redis 7.0 checks no key at all.
      const needed = name === 'pfmerge' ? 3 : Math.abs(arity)
      const missing = Math.max(0, needed - words.length)
      return [...words, ...Array.from({ length: missing }, () => '1')]
    })
}

const PLAIN_RULES: readonly string[] = [
  ...['+@all', '-@all', '+@read', '-@write', '+@write', '-@read', '+@admin', '-@slow', '+@fast'],
  ...['-@dangerous', '+@connection', '+@pubsub', '-@pubsub', '+@list', '+@keyspace', '-@blocking'],
  ...['~1', '~2', '%R~1', '%W~1', '%R~*', '~*', '&1', '&2', '&*', 'resetkeys', 'resetchannels'],
  ...['(+@all %R~1)', '(+@write ~1 &1)', '(+get ~2)', '(+@pubsub &1*)', '(+publish)'],
]

function drawRule(rng: Rng, commands: readonly (readonly string[])[]): string {
  if (rng.chance(1, 2)) return rng.pick(PLAIN_RULES)
  // CLIENT has more subcommands here, which may make another category the shortest description.
  const [name = '', second] = rng.pick(commands.filter(([first]) => first !== 'client'))
  if (rng.chance(1, 4)) return `+${name}`
  const full = second === undefined || second === '1' ? name : `${name}|${second}`
  return `${rng.chance(1, 2) ? '+' : '-'}${full}`
}

/** Rules in any order; ages and connections left out, with the lengths that go with them. */
function masked(lines: readonly string[]): string[] {
  return lines.map((line, at) => {
    if (/^(user |[+-]@all)/.test(line))
      return line
        .split(/[ ()]+/)
        .sort()
        .join(' ')
    const before = lines.slice(Math.max(0, at - 2), at)
    if (before.includes('age-seconds')) return '<age>'
    if (before.includes('client-info')) return '<client>'
    return line
  })
}

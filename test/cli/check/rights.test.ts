/** How `vedette check --deep` tries rights without changing anything, on a server that is told what to answer. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type Call,
  NODE_RIGHTS,
  PEER_RIGHTS,
  REPLICA_RIGHTS,
  STRICT_NODE_RIGHTS,
  testRights,
} from '../../../src/cli/check/deep/rights.ts'

/** A server that answers by rule; all that it was sent stays, connection by connection. */
function server(answer: (words: readonly string[]) => string) {
  const sent: string[][] = []
  const open = (): Call => {
    const lines: string[] = []
    sent.push(lines)
    return async (...words) => {
      lines.push(words.join(' '))
      const reply = answer(words)
      if (/^(ERR|NOPERM) /.test(reply)) throw new Error(reply)
      return reply
    }
  }
  return { sent, open }
}

async function rulesMissing(
  rights: typeof NODE_RIGHTS,
  answer: (words: readonly string[]) => string,
  renamed = new Map<string, string>(),
) {
  const { sent, open } = server(answer)
  const call = open()
  const tests = await testRights(rights, { user: 'w', renamed, call, separate: async () => open() })
  const of = (outcome: string) => tests.filter((one) => one.outcome === outcome)
  return {
    sent,
    denied: of('denied').map(({ rule }) => rule),
    unknown: of('unknown').map(({ right }) => right.name),
    untested: of('untested').map(({ right }) => right.name),
  }
}

const NO_DRY_RUN = 'NOPERM this user has no permissions to run the acl|dryrun command'

/** A server on which everything is queued behind MULTI, and only there. */
function queueing(refuse: RegExp) {
  return (words: readonly string[]) => {
    const text = words.join(' ')
    if (words[0] === 'ACL') return NO_DRY_RUN
    if (refuse.test(text)) return `NOPERM this user has no permissions to run '${text}'`
    if (words[0] === 'EXEC') return 'ERR EXEC without MULTI'
    return /^(SLAVEOF|CONFIG|PUBLISH|CLIENT KILL|SCRIPT)/.test(text) ? 'QUEUED' : 'OK'
  }
}

test('the rights that are tried are those that docs/users.md documents as the least', () => {
  const page = readFileSync(new URL('../../../docs/users.md', import.meta.url), 'utf8')
  const documented = (user: string) => {
    const [rules = ''] = new RegExp(`^user ${user} .*\\n.*`, 'm').exec(page) ?? []
    return [...rules.matchAll(/\+(\S+)/g)].map(([, name]) => name).sort()
  }
  const tried = (rights: typeof NODE_RIGHTS) => rights.map(({ name }) => name).sort()
  expect(tried(NODE_RIGHTS)).toEqual(documented('watcher'))
  expect(tried(PEER_RIGHTS)).toEqual(documented('peer'))
  expect(page).toContain('`+psync +replconf +ping`')
  expect(tried(REPLICA_RIGHTS)).toEqual(['ping', 'psync', 'replconf'])
})

test('ACL DRYRUN names each rule that is missing, channels too', async () => {
  const { denied, untested, sent } = await rulesMissing(NODE_RIGHTS, (words) => {
    const [, , , name] = words
    if (name === 'SLAVEOF') return "This user has no permissions to run the 'slaveof' command"
    if (name === 'PUBLISH') return "This user has no permissions to access the 'x' channel"
    return 'OK'
  })
  expect(denied).toEqual(['&__sentinel__:hello', '+slaveof'])
  expect(untested).toEqual([])
  expect(sent.flat().every((line) => line.startsWith('ACL DRYRUN w '))).toBe(true)
})

test('without the right to ACL DRYRUN commands are queued, and no connection sends EXEC after MULTI', async () => {
  const { denied, untested, sent } = await rulesMissing(NODE_RIGHTS, queueing(/^CONFIG/))
  expect(denied).toEqual(['+config|rewrite'])
  expect(untested).toEqual([])
  const withMulti = sent.filter((lines) => lines.includes('MULTI'))
  expect(withMulti).toHaveLength(1)
  expect(withMulti.flat()).not.toContain('EXEC')
})

test('SLAVEOF is never sent behind a MULTI that was refused', async () => {
  const { denied, untested, sent } = await rulesMissing(NODE_RIGHTS, queueing(/^MULTI/))
  expect(denied).toEqual(['+multi'])
  expect(untested).toEqual(['publish', 'slaveof', 'config|rewrite', 'client|kill', 'script|kill'])
  expect(
    sent.flat().filter((line) => !line.startsWith('ACL') && /SLAVEOF|KILL/.test(line)),
  ).toEqual([])
})

test('a server that executes instead of queueing is sent nothing further', async () => {
  const { untested } = await rulesMissing(NODE_RIGHTS, (words) =>
    words[0] === 'ACL' ? 'ERR unknown command' : 'OK',
  )
  expect(untested).toEqual(['slaveof', 'config|rewrite', 'client|kill', 'script|kill'])
})

test('renamed commands are sent by their new names, and unknown ones told', async () => {
  const renamed = new Map([['slaveof', 'S1']])
  const { sent, unknown } = await rulesMissing(
    NODE_RIGHTS,
    (words) => (words[3] === 'CONFIG' ? "ERR Command 'CONFIG' not found" : 'OK'),
    renamed,
  )
  expect(sent.flat()).toContain('ACL DRYRUN w S1 NO ONE')
  expect(unknown).toEqual(['config|rewrite'])
})

test('a Sentinel is never sent a hello to find out whether it may be', async () => {
  const { sent, untested } = await rulesMissing(PEER_RIGHTS, queueing(/^nothing/))
  expect(untested).toEqual(['publish'])
  expect(sent.flat().filter((line) => line.startsWith('PUBLISH'))).toEqual([])
})

test('the right to fence is tried with a term that no node can take', async () => {
  const refused = 'ERR FENCE needs a term above 0 and the name of its leader'
  const voter = (words: readonly string[]) =>
    words[0] === 'FENCE' ? refused : queueing(/^$/)(words)
  const { denied, unknown, sent } = await rulesMissing(STRICT_NODE_RIGHTS, voter)
  expect([denied, unknown]).toEqual([[], []])
  expect(sent.flat()).toContain('FENCE 0 vedette-check ASK')
  expect((await rulesMissing(STRICT_NODE_RIGHTS, queueing(/^FENCE/))).denied).toEqual(['+fence'])
})

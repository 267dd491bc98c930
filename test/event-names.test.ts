/**
 * An event is a row of src/core/event-table.ts, and nothing else is one: what looks like the name of an event
 * anywhere in src is in the table, nobody publishes past `announce`, and docs/events.md is the table in print.
 * `npx vitest run --project fast test/event-names.test.ts -u` prints it anew.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVENT_NAMES, EVENTS, isEventName } from '../src/core/event-table.ts'

const ROOT = new URL('../', import.meta.url)
const TABLE = 'core/event-table.ts'
const SOURCES = readdirSync(new URL('src/', ROOT), { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && file !== TABLE)
  .map((file) => ({ file, code: codeOf(readFileSync(new URL(`src/${file}`, ROOT), 'utf8')) }))

/** They begin like an event, and are none. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'numbers of the protocol': ['-inf', '-nan'],
  'ends of maxmemory policies': ['-lfu', '-lru'],
  'an option of ip and tc': ['-batch'],
  'a right of a user': ['+info'],
  'events cut short where a lane has little room': ['+switch', '-abort', '-abort:'],
}
const NO_EVENTS = new Set(Object.values(OTHERS).flat())

test('what looks like the name of an event is in the table', () => {
  const found = SOURCES.flatMap(({ file, code }) =>
    [...code.matchAll(/['"`]([+-][a-z]{2}[^\s'"`$]*)/g)].map(([, text = '']) => ({ file, text })),
  )
  expect(found.length).toBeGreaterThan(100)
  expect(found.filter(({ text }) => !isEventName(text) && !NO_EVENTS.has(text))).toEqual([])
})

test('nobody publishes an event, or writes one to the log, past announce', () => {
  const filesWith = (call: RegExp) =>
    SOURCES.filter(({ file, code }) => file.startsWith('core/') && call.test(code)).map(
      ({ file }) => file,
    )
  expect(filesWith(/(?<!function )\bpublish\(/)).toEqual(['core/events.ts'])
  // A new subscriber is told what it missed.
  const tellers = ['core/clients/subscriptions.ts', 'core/failover/last-switch.ts']
  expect(filesWith(/(?<!function )\btell\(turn, client,/).sort()).toEqual(tellers)
  expect(filesWith(/\blog\(\s*turn,\s*[^,]+,\s*['"`][+-]/)).toEqual([])
})

test('no text is made an event by a cast, but where a file of a scenario was checked', () => {
  const casts = SOURCES.filter(({ code }) => /\bas (EventName|HeardEvent)\b/.test(code))
  expect(casts.map(({ file }) => file)).toEqual(['scenario/language/build-claims.ts'])
})

test('docs/events.md lists what the table says', async () => {
  const path = new URL('docs/events.md', ROOT)
  const [intro = ''] = readFileSync(path, 'utf8').split('| event |')
  const head = '| event | level | payload | when |\n|---|---|---|---|'
  await expect(`${intro}${head}\n${EVENT_NAMES.map(rowOf).join('\n')}\n`).toMatchFileSnapshot(
    path.pathname,
  )
})

function rowOf(name: keyof typeof EVENTS): string {
  const { level, about, text, when } = EVENTS[name]
  const described = about === 'group' || about === 'none' ? '' : `<${about}>`
  return `| \`${name}\` | ${level} | \`${`${described} ${text}`.trim()}\` | ${when} |`
}

/** Without comments, which may say anything. */
function codeOf(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/.*$/gm, '')
}

/**
 * docs/metrics.md has every metric, as the tables of families say: `npx vitest run --project fast
 * test/metrics-page.test.ts -u` prints them anew. And what is shipped for Prometheus and Grafana asks for
 * nothing else.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { MetricFamily } from '../src/http/metrics/family.ts'
import { NODE_FAMILIES } from '../src/http/metrics/node-metrics.ts'
import { PROXY_FAMILIES } from '../src/http/metrics/proxy-metrics.ts'
import { SENTINEL_FAMILIES } from '../src/http/metrics/sentinel-metrics.ts'
import { boardQueries } from './support/board.ts'

const ROOT = new URL('../', import.meta.url)
const PAGE = new URL('docs/metrics.md', ROOT)
const HEAD = '| name | type | labels | unit | meaning |\n|---|---|---|---|---|'

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

function rowOf({ name, type, labels, unit, help }: MetricFamily): string {
  const words = labels.map((label) => `\`${label}\``).join(' ')
  return `| \`${name}\` | ${type} | ${words} | ${unit} | ${help} |`
}

test('docs/metrics.md lists what the tables of families say', async () => {
  const [intro = ''] = textOf('docs/metrics.md').split('## Of a Sentinel')
  const tables = [
    `## Of a Sentinel\n\n${HEAD}\n${SENTINEL_FAMILIES.map(rowOf).join('\n')}\n`,
    `## Of a data node\n\n${HEAD}\n${NODE_FAMILIES.map(rowOf).join('\n')}\n`,
    `## Of a proxy\n\n${HEAD}\n${PROXY_FAMILIES.map(rowOf).join('\n')}\n`,
  ]
  await expect(`${intro}${tables.join('\n')}`).toMatchFileSnapshot(PAGE.pathname)
})

test('names follow the rules of Prometheus, and no family stands in a table twice', () => {
  for (const families of [SENTINEL_FAMILIES, NODE_FAMILIES, PROXY_FAMILIES]) {
    const names = families.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, type, help } of families) {
      expect(name).toMatch(/^(redis|vedette|process)_[a-z][a-z0-9_]*$/)
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
      expect(help).toMatch(/^[A-Z].*\.$/)
    }
  }
})

const KNOWN = new Map(
  [...SENTINEL_FAMILIES, ...NODE_FAMILIES, ...PROXY_FAMILIES].map((one) => [one.name, one]),
)

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: Readonly<Record<string, string>>
}

const RULES = (
  parse(textOf('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules)

/** The metrics a query asks for. */
function askedIn(query: string): readonly string[] {
  const names = query.match(/\b(?:redis|vedette|process)_[a-z0-9_]+\b/g) ?? []
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ''))
}

test('the alert rules ask only for metrics that there are, and each has its row in docs/metrics.md', () => {
  const page = textOf('docs/metrics.md')
  for (const { alert = '', expr, labels, annotations } of RULES) {
    expect(askedIn(expr).filter((name) => !KNOWN.has(name))).toEqual([])
    expect(['critical', 'warning']).toContain(labels?.severity)
    expect(page).toContain(`| ${alert} | ${labels?.severity} |`)
    expect(annotations?.summary).toMatch(/\S/)
    expect(annotations?.description).toMatch(/\S/)
    expect(annotations?.runbook).toBe('docs/metrics.md#alerts')
  }
  expect(page.match(/^\| Vedette\w+ \|/gm)).toHaveLength(RULES.length)
})

test('the board asks only for metrics and labels that there are', () => {
  const queries = boardQueries().map(({ expr }) => expr)
  expect(queries.length).toBeGreaterThan(15)
  expect(queries.flatMap(askedIn).filter((name) => !KNOWN.has(name))).toEqual([])
  const matched = queries.flatMap((expr) => [...expr.matchAll(/(\w+)\{(\w+)=/g)])
  expect(matched.length).toBeGreaterThan(15)
  for (const [, name = '', label] of matched) {
    expect(KNOWN.get(name.replace(/_(bucket|sum|count)$/, ''))?.labels, name).toContain(label)
  }
})

test('the board shows each metric of proxies and of strict groups', () => {
  const asked = new Set(boardQueries().flatMap(({ expr }) => askedIn(expr)))
  const wanted = [...KNOWN.keys()].filter((name) =>
    /^vedette_(proxy_|group_(voters|writes_stalled))/.test(name),
  )
  expect(wanted.length).toBeGreaterThan(14)
  expect(wanted.filter((name) => !asked.has(name))).toEqual([])
})

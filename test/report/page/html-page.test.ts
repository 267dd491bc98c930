import { describe, expect, test } from 'vitest'
import { html } from '../../../src/report/page/html.ts'
import { renderPage } from '../../../src/report/page/html-page.ts'
import type { ScenarioResult } from '../../../src/scenario/result.ts'
import { altered, SOUND } from '../../scenario/support.ts'
import { event, historyOf, play, type Run, write } from '../support.ts'

const PAYLOAD = `<script>alert("1")</script>'"&`

function pageOf({ file, result, history }: Run): string {
  return renderPage(file, result, history)
}

/** Everything between tags, and the tags, without our own style and script. */
function foreignPart(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<script>\(\(\) => [\s\S]*?<\/script>/, '')
}

describe('the page', () => {
  test('says verdict, story, findings and facts', async () => {
    const run = await play()
    const page = pageOf(run)
    expect(page).toContain('>PASSED<')
    expect(page).toContain(run.result.story)
    expect(page).toContain(run.result.expectations[0]?.finding)
    expect(page).toContain('master at the end')
  })

  test('every id that is referred to exists, once', async () => {
    const page = pageOf(await play())
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])
    expect(new Set(ids).size).toBe(ids.length)
    const references = [
      ...page.matchAll(/(?:href="#|url\(#|aria-labelledby=")([\w-]+)/g),
      ...page.matchAll(/getElementById\('([\w-]+)'\)/g),
    ].map((match) => match[1])
    expect(references.length).toBeGreaterThan(10)
    for (const reference of references) expect(ids).toContain(reference)
  })

  test('every element that is opened is closed', async () => {
    const markup = foreignPart(pageOf(await play())).replace(/<!doctype html>/, '')
    const open: string[] = []
    const tags = markup.matchAll(/<(\/?)([a-z][a-z\d]*)\b([^<>]*?)(\/?)>/gi)
    for (const [, slash, name = '', , isClosed] of tags) {
      if (slash === '/') expect(open.pop()).toBe(name)
      else if (isClosed === '' && !['meta', 'input', 'br'].includes(name)) open.push(name)
    }
    expect(open).toEqual([])
  })

  test('asks nothing of the network', async () => {
    const page = pageOf(await play())
    expect(page).toContain('default-src &#39;none&#39;')
    expect(page.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|src=|@import/)
  })

  test('the script uses neither eval nor markup', async () => {
    expect(pageOf(await play())).not.toMatch(/\beval\(|innerHTML|insertAdjacentHTML|new Function/)
  })

  test('a skipped run has its reason and no picture', async () => {
    const { file, result, history } = await play()
    const skipped: ScenarioResult = { ...result, verdict: 'skipped', skipped: 'needs root' }
    const page = renderPage(file, skipped, history)
    expect(page).toContain('Not run: needs root')
    expect(page).not.toContain('<svg')
  })
})

test('a failover that no quorum allows is told under the count of failovers', async () => {
  const page = pageOf(await play(altered('quorum: 2', 'quorum: 4')))
  expect(page).toContain('none is possible by itself: the quorum is 4, and there are 3 Sentinels')
})

test('names too long for the room beside the lanes lose their middle, and their tooltip has them whole', async () => {
  const long = 'redis-shopping-cart-production-eu-west-1a-1'
  const page = pageOf(await play(SOUND.replaceAll('n2', long)))
  expect(page).toContain(`data-full="${long}" x="4" y="`)
  expect(page).toContain('>redis-shoppi…eu-west-1a-1</text>')
  expect(page).toContain(`<title>${long}, node on b</title>`)
})

describe('whatever a file or a run says is text', () => {
  test('in names, stories, findings, faults, events and violations', async () => {
    const run = await play()
    const [group] = run.file.topology.groups
    const topology = {
      ...run.file.topology,
      groups: [{ ...group!, name: PAYLOAD }],
      nodes: run.file.topology.nodes.map((node) => ({ ...node, name: PAYLOAD, host: PAYLOAD })),
    }
    const result = {
      ...{ ...run.result, name: PAYLOAD, story: PAYLOAD, file: PAYLOAD, seed: PAYLOAD },
      expectations: [{ text: PAYLOAD, passed: false, metAtMs: undefined, finding: PAYLOAD }],
      violations: [{ atMs: 1, checker: PAYLOAD, text: PAYLOAD }],
      facts: { groups: run.result.facts.groups.map((one) => ({ ...one, group: PAYLOAD })) },
    }
    const history = historyOf([
      { atMs: 1, process: undefined, kind: 'fault', text: PAYLOAD },
      { atMs: 2, process: PAYLOAD, kind: 'violation', checker: PAYLOAD, text: PAYLOAD },
      { atMs: 3, process: PAYLOAD, kind: 'log', level: 'warning', text: PAYLOAD },
      event(4, 's1', `+sdown master ${PAYLOAD} ${PAYLOAD} 6379`),
    ])
    const page = foreignPart(renderPage({ ...run.file, topology }, result, history))
    expect(page).not.toContain('<script')
    expect(page).not.toContain('alert("1")')
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&quot;&amp;')
  })

  test('a template keeps its own markup and escapes the rest', () => {
    const { markup } = html`<b title="${'"'}">${[html`<i>${'<'}</i>`]}${undefined}${3}</b>`
    expect(markup).toBe('<b title="&quot;"><i>&lt;</i>3</b>')
  })
})

describe('its size', () => {
  test('a small run makes a small page', async () => {
    expect(pageOf(await play()).length).toBeLessThan(400_000)
  })

  test('is bounded for a run of an hour with a flood of events and writes', async () => {
    const run = await play()
    const endMs = 3_600_000
    const happenings = Array.from({ length: 40_000 }, (_none, n) =>
      event(n * 90, `s${1 + (n % 3)}`, `+sdown slave n2 n2 6379 @ group${n} n1 6379`),
    )
    const writes = Array.from({ length: 150_000 }, (_none, n) =>
      write(n * 20, 'n1', 'acknowledged'),
    )
    const missing = new Map([['mymaster', new Set(writes.filter((_one, n) => n % 3 === 0))]])
    const history = historyOf(happenings, { endMs, writes, missing })
    const page = renderPage(run.file, { ...run.result, endMs }, history)
    expect(page.length).toBeLessThan(2_000_000)
    expect(page).toContain('38000 more are left out here')
    expect(page).toContain('marks are left out: see the table')
  })
})

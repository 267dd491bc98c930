/**
 * The report page in a real browser: its script runs without an error, wide and narrow, and does what
 * the buttons, links and fields promise. What it looks like is for eyes.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { html, trusted } from '../../src/report/page/html.ts'
import { renderPage } from '../../src/report/page/html-page.ts'
import { play } from '../report/support.ts'
import { SOUND } from '../scenario/support.ts'
import { scratchFolder } from '../support/scratch.ts'

const BROWSER = '/usr/bin/chromium'
const QUIET = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]
const run = promisify(execFile)

describe.skipIf(!existsSync(BROWSER))(`the report page in ${BROWSER}`, () => {
  const folder = scratchFolder('report-page')
  let page = ''

  beforeAll(async () => {
    const { file, result, history } = await play()
    page = renderPage(file, result, history)
  })
  /** The document as it is when its scripts have run. */
  async function domOf(text: string, width: number): Promise<string> {
    const path = join(folder, `${width}.html`)
    writeFileSync(path, text)
    const profile = mkdtempSync(join(folder, 'profile-'))
    const own = [`--user-data-dir=${profile}`, `--window-size=${width},900`]
    const args = [...QUIET, ...own, '--virtual-time-budget=4000', '--dump-dom', `file://${path}`]
    const { stdout } = await run(BROWSER, args, { timeout: 50_000, maxBuffer: 50_000_000 })
    return stdout
  }

  /** The page with a script of the test at its end, which leaves what it saw as `data-seen`. */
  function withScript(script: string, own = page): string {
    const seen = `document.documentElement.dataset.seen = JSON.stringify((() => {${script}})())`
    const end = `<script>${seen}</script></body></html>`
    return own.replace('</body></html>', () => end)
  }

  function seenIn(dom: string): unknown {
    const text = /data-seen="([^"]*)"/.exec(dom)?.[1] ?? 'null'
    return JSON.parse(text.replaceAll('&quot;', '"'))
  }

  test.each([500, 1280])('its script runs without an error %i pixels wide', async (width) => {
    const dom = await domOf(page, width)
    expect(dom).toMatch(/<html[^>]* data-ready="yes"/)
    expect(dom).not.toMatch(/data-error=/)
    expect(/<svg id="picture"[^>]*class="narrow"/.test(dom)).toBe(width < 620)
  })

  test('nothing sticks out of a screen 360 pixels wide', async () => {
    const frame = html`<!doctype html><html><body><iframe width="360" height="800" srcdoc="${page}"></iframe>
<script>${trusted(`const frame = document.querySelector('iframe')
frame.addEventListener('load', () => {
  const inner = frame.contentDocument.documentElement
  document.documentElement.dataset.seen = JSON.stringify({
    ready: inner.dataset.ready, error: inner.dataset.error, over: inner.scrollWidth - inner.clientWidth,
  })
})`)}</script></body></html>`
    expect(seenIn(await domOf(frame.markup, 700))).toEqual({ ready: 'yes', over: 0 })
  })

  test.each([500, 1280])('long names end before the lanes %i pixels wide', async (width) => {
    const host = 'ip-10-0-0-2.eu-west-1.compute.internal'
    const names = SOUND.replaceAll('n2', 'redis-shopping-cart-production-eu-west-1a-1')
    const { file, result, history } = await play(names.replace('host: b', `host: ${host}`))
    const script = `
      const picture = document.getElementById('picture').getBoundingClientRect().left
      const lanes = picture + Number(document.getElementById('plot-area').getAttribute('x'))
      return [...document.querySelectorAll('.name text')].map((text) => text.getBoundingClientRect().right - lanes)`
    const dom = await domOf(withScript(script, renderPage(file, result, history)), width)
    const ends = seenIn(dom) as number[]
    expect(ends).toHaveLength(14)
    expect(Math.max(...ends)).toBeLessThan(0)
  })

  test('a sentence of the chain opens its moment in the picture', async () => {
    const script = `
      const link = [...document.querySelectorAll('a.when')].find((one) => one.dataset.at > 6000)
      link.click()
      dispatchEvent(new Event('resize')) // Frames are not drawn while a document is dumped.
      return { at: Number(link.dataset.at), current: link.getAttribute('aria-current') }`
    const text = withScript(script)
    const dom = await domOf(text, 1280)
    const { at, current } = seenIn(dom) as { at: number; current: string }
    expect(current).toBe('true')
    const [, from, until] = /id="range">([\d.]+) s to ([\d.]+) s</.exec(dom) ?? []
    expect(Number(from) * 1_000).toBeLessThan(at)
    expect(Number(until) * 1_000).toBeGreaterThan(at)
    expect(Number(until) - Number(from)).toBeLessThan(2)
  })

  test('keys go from mark to mark and tell what they find', async () => {
    const text = withScript(`
      const plot = document.getElementById('plot-box')
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      plot.focus()
      const said = []
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowLeft']) {
        press(key)
        said.push(document.activeElement.getAttribute('aria-label'))
      }
      return { said, tip: document.getElementById('tip').textContent }`)
    const { said, tip } = seenIn(await domOf(text, 1280)) as { said: string[]; tip: string }
    expect(new Set(said).size).toBeGreaterThan(2)
    for (const label of said) expect(label).toMatch(/^\d+\.\d{3} s {2}\w/)
    expect(tip).toBe(said.at(-1))
  })

  test('the filter leaves the rows that match', async () => {
    const text = withScript(`
      const field = document.getElementById('filter-text')
      field.value = '+SWITCH-master'
      field.dispatchEvent(new Event('input'))
      const rows = [...document.querySelectorAll('#events tbody tr')].filter((row) => !row.hidden)
      return { texts: rows.map((row) => row.textContent), amount: document.getElementById('filter-amount').textContent }`)
    const { texts, amount } = seenIn(await domOf(text, 1280)) as { texts: string[]; amount: string }
    expect(texts).toHaveLength(3)
    expect(texts.every((one) => one.includes('+switch-master'))).toBe(true)
    expect(amount).toMatch(/^3 of \d+$/)
  })
})

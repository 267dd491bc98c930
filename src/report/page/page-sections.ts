/** The parts of the page in words: verdict, facts, expectations, and the chain of causes. */
import { countOf } from '../../base/count-of.ts'
import { formatDuration, secondsText } from '../../scenario/duration.ts'
import { wordUnreachable } from '../../scenario/facts/unreachable-quorum.ts'
import type { GroupFacts, JudgedExpectation, ScenarioResult } from '../../scenario/result.ts'
import type { ChainSentence, Chapter } from '../chain/chain-words.ts'
import { html, type Markup } from './html.ts'

export function renderHead(result: ScenarioResult): Markup {
  const { verdict, name, story, file, seed, endMs, engine, programs } = result
  const why = result.skipped === undefined ? undefined : html`<p>Not run: ${result.skipped}</p>`
  return html`<header>
<span class="verdict ${verdict}">${verdict.toUpperCase()}</span>
<h1>${name}</h1>
<p class="run">${file} · seed ${seed} · engine ${engine} · ${formatDuration(endMs)} of cluster time · programs: ${programs}</p>
<p class="story">${story}</p>${why}
</header>
`
}

export function renderFacts(groups: readonly GroupFacts[]): Markup {
  const isOnly = groups.length === 1
  return html`${groups.map((facts) => {
    const title = isOnly ? undefined : html`<h3>${facts.group}</h3>`
    return html`${title}<dl class="facts" aria-label="Facts of ${facts.group}">${factsOf(facts)}</dl>
`
  })}`
}

function factsOf({ writes, lost, ...facts }: GroupFacts): Markup[] {
  const refused = Object.entries(writes.refused).map(([code, count]) => `${count} ${code}`)
  const unknown = writes.unknown > 0 ? [`${writes.unknown} never answered`] : []
  const total = lost === undefined ? undefined : lost.byMajority + lost.byCutOff + lost.byDeposed
  const causes = lost === undefined ? [] : wordCauses(lost)
  const unreachable = facts.unreachableQuorum
  return [
    fact('without any acknowledged write', formatDuration(facts.longestOutageMs), {
      note: wordOutage(facts),
    }),
    fact('acknowledged writes lost', total === undefined ? 'unknown' : String(total), {
      isBad: (total ?? 0) > 0,
      note: causes.join(', '),
    }),
    fact('two nodes acknowledging', formatDuration(facts.dualWritesMs), {
      isBad: facts.dualWritesMs > 0,
    }),
    fact(facts.failovers === 1 ? 'failover' : 'failovers', String(facts.failovers), {
      isBad: unreachable !== undefined,
      note:
        unreachable === undefined
          ? ''
          : `none is possible by itself: ${wordUnreachable(unreachable)}`,
    }),
    fact('master at the end', facts.finalMaster ?? 'not agreed', {
      isBad: facts.finalMaster === undefined,
    }),
    fact(`of ${countOf(writes.attempted, 'write')} acknowledged`, String(writes.acknowledged), {
      note: [...refused, ...unknown].join(', '),
    }),
  ]
}

/** One client can be unable to write while others go on. */
function wordOutage({
  outages,
  longestOutageMs,
}: Pick<GroupFacts, 'outages' | 'longestOutageMs'>): string {
  const [longest] = outages.toSorted((a, b) => b.untilMs - b.fromMs - (a.untilMs - a.fromMs))
  if (longest === undefined) return ''
  const lengthMs = longest.untilMs - longest.fromMs
  return lengthMs > longestOutageMs ? `${longest.client}: ${formatDuration(lengthMs)}` : ''
}

function wordCauses(lost: NonNullable<GroupFacts['lost']>): string[] {
  const { asynchronous, splitBrain, emptyRestart } = lost
  return [
    ...(asynchronous > 0 ? [`${asynchronous} not yet replicated`] : []),
    ...(splitBrain > 0 ? [`${splitBrain} by split brain`] : []),
    ...(emptyRestart > 0 ? [`${emptyRestart} by an empty restart`] : []),
  ]
}

function fact(
  label: string,
  value: string,
  { isBad = false, note = '' }: { readonly isBad?: boolean; readonly note?: string },
): Markup {
  const more = note === '' ? undefined : html`<dd class="note">${note}</dd>`
  return html`<div${isBad ? html` class="bad"` : undefined}><dt>${label}</dt><dd>${value}</dd>${more}</div>`
}

export function renderExpectations(expectations: readonly JudgedExpectation[]): Markup {
  if (expectations.length === 0) return html``
  const met = expectations.filter(({ passed }) => passed).length
  const items = expectations.map(({ passed, text, finding }) => {
    const sign = passed ? '✓' : '✗'
    const word = passed ? 'held' : 'failed'
    const found = finding === '' ? undefined : html`<span class="finding">${finding}</span>`
    return html`<li class="${passed ? 'passed' : 'failed'}"><span class="sign" role="img" aria-label="${word}">${sign}</span><span>${text}</span>${found}</li>
`
  })
  return html`<section aria-labelledby="expected"><h2 id="expected">Expected: ${met} of ${expectations.length} held</h2>
<ul class="claims">${items}</ul></section>
`
}

export function renderViolations(violations: ScenarioResult['violations']): Markup {
  if (violations.length === 0) return html``
  const items = violations.map(
    ({
      atMs,
      checker,
      text,
    }) => html`<li><strong>${checker}</strong> at ${secondsText(atMs)}: ${text}</li>
`,
  )
  return html`<section aria-labelledby="violated"><h2 id="violated">What must never happen, and did</h2>
<ul class="violations">${items}</ul></section>
`
}

export function renderChain(chapters: readonly Chapter[], endMs: number): Markup {
  if (chapters.length === 0) return html``
  return html`<section aria-labelledby="why"><h2 id="why">How it came to this</h2>
${chapters.map((chapter) => renderChapter(chapter, endMs))}</section>
`
}

function renderChapter({ title, links }: Chapter, endMs: number): Markup {
  const items = links.map((link, index) => {
    const when = renderWhen(link, neighbourhood(links, index, endMs))
    return html`<li>${when}<span>${link.text}</span></li>
`
  })
  return html`<h3>${title}</h3><ol class="chain">${items}</ol>
`
}

interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

function renderWhen({ atMs, process }: ChainSentence, window: Window): Markup {
  if (atMs === undefined) return html`<span class="when"></span>`
  const { fromMs, untilMs } = window
  return html`<a class="when" href="#lanes" data-at="${atMs}" data-from="${fromMs}" data-until="${untilMs}" data-lane="${process}" title="Show this moment in the picture">${secondsText(atMs)}</a>`
}

/** Wide enough around a sentence that the ones before and after it are in sight. */
function neighbourhood(links: readonly ChainSentence[], index: number, endMs: number): Window {
  const atMs = links[index]?.atMs ?? 0
  const beforeMs = links[index - 1]?.atMs ?? atMs
  const afterMs = links[index + 1]?.atMs ?? atMs
  const room = Math.max(30, (afterMs - beforeMs) * 0.25)
  return {
    fromMs: Math.max(0, Math.round(beforeMs - room)),
    untilMs: Math.min(endMs, Math.round(afterMs + room)),
  }
}

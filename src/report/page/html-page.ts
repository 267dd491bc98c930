/**
 * One run as one page: a single file that needs no network, and works in light and dark, on wide and
 * narrow screens, and on paper. Verdict and facts come first, then the picture, then why things
 * happened.
 */
import type { ScenarioResult } from '../../scenario/result.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { explain, explainRecorded } from '../chain/chain.ts'
import type { Chapter } from '../chain/chain-words.ts'
import { createLanes } from '../lanes/lanes.ts'
import { allLosses } from '../losses.ts'
import { html, type Markup, trusted } from './html.ts'
import { renderFigure, renderLegend } from './page-figure.ts'
import { SCRIPT } from './page-script.ts'
import {
  renderChain,
  renderExpectations,
  renderFacts,
  renderHead,
  renderViolations,
} from './page-sections.ts'
import { STYLE } from './page-style.ts'
import { renderEvents, renderTopology } from './page-tables.ts'

/** The page loads nothing, whatever its texts contain. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

/** The whole file, ready to be written. */
export function renderPage(
  file: ScenarioFile,
  result: ScenarioResult,
  history: RunHistory,
): string {
  const isRun = result.verdict !== 'skipped'
  return whole(
    `${result.verdict}: ${result.name}`,
    html`${renderHead(result)}${isRun ? renderFacts(result.facts.groups) : undefined}
${renderViolations(result.violations)}${renderExpectations(result.expectations)}
${isRun ? renderCourse(file, explain(file, result, history), history) : undefined}${renderTopology(file)}`,
    isRun,
  )
}

/** What Sentinels have recorded of themselves, as the same page, without a verdict. */
export interface RecordedStory {
  readonly title: string
  /** When and by whose clock, and what is not known. */
  readonly remarks: readonly string[]
  readonly file: ScenarioFile
  readonly history: RunHistory
}

export function renderRecordedPage({ title, remarks, file, history }: RecordedStory): string {
  const head = html`<header><h1>${title}</h1>
${remarks.map(
  (remark) => html`<p class="run">${remark}</p>
`,
)}</header>
`
  const course = renderCourse(file, explainRecorded(file, history), history)
  return whole(title, html`${head}${course}${renderTopology(file)}`, true)
}

function whole(title: string, main: Markup, hasScript: boolean): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title><style>${trusted(STYLE)}</style></head>
<body><main>
${main}
</main>${hasScript ? html`<script>${trusted(SCRIPT)}</script>` : undefined}</body></html>
`
  return page.markup
}

function renderCourse(
  file: ScenarioFile,
  chapters: readonly Chapter[],
  history: RunHistory,
): Markup {
  const { endMs } = history
  const losses = allLosses(history)
  const model = createLanes(file, history)
  const { svg, leftOut } = renderFigure(model, history, losses)
  const note =
    leftOut === 0
      ? undefined
      : html`<p class="hint">${leftOut} marks are left out: see the table.</p>`
  return html`<section aria-labelledby="course"><h2 id="course">The course of the run</h2>
<figure id="lanes"><div class="tools" role="toolbar" aria-label="Part of the run that is shown">
<button class="sign" type="button" data-zoom="2" aria-label="Zoom in">+</button><button class="sign" type="button" data-zoom="0.5" aria-label="Zoom out">−</button>
<button type="button" data-from="0" data-until="${endMs}">Whole run</button>${chapterButtons(chapters, endMs)}<span class="range" id="range"></span></div>
<div id="plot-box" tabindex="0" role="group" aria-label="Swim lanes. Arrow keys go from mark to mark, plus and minus zoom, 0 shows the whole run.">${svg}<div id="tip" role="tooltip" hidden></div></div>
<figcaption>${renderLegend(model, losses)}<p class="hint">Drag to move. Click into the picture and turn the wheel, or pinch, to zoom; a number opens what it stands for. Keys: arrows, + − 0, Enter.</p>${note}</figcaption></figure></section>
${renderChain(chapters, endMs)}${renderEvents(history)}`
}

/**
 * A button shows the core of a chapter: from before the fault to the end of its immediate
 * consequences.
 */
function chapterButtons(chapters: readonly Chapter[], endMs: number): Markup[] {
  return chapters
    .filter(({ fromMs, untilMs }) => untilMs > fromMs && untilMs - fromMs < endMs)
    .slice(0, MOST_BUTTONS)
    .map(({ title, fromMs, untilMs }) => {
      const room = Math.max(50, (untilMs - fromMs) * 0.06)
      return html`<button type="button" data-from="${Math.max(0, Math.round(fromMs - room))}" data-until="${Math.min(endMs, Math.round(untilMs + room))}">${title}</button>`
    })
}

const MOST_BUTTONS = 6

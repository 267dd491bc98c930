/**
 * What makes the page more than a picture: zoom, pan, tooltips, keyboard, links from sentences to
 * moments, and the filter of the table. Plain JavaScript for browsers, kept as text; it touches the
 * page only by attributes and text, never by markup.
 */
import { FIGURE_SCRIPT } from './page-script-figure.ts'
import { INPUT_SCRIPT } from './page-script-input.ts'

/** The filter of the event table. */
const TABLE_SCRIPT = `
const table = document.getElementById('events')
const rows = [...table.tBodies[0].rows]
const texts = rows.map((row) => row.textContent.toLowerCase())
const words = document.getElementById('filter-text')
const who = document.getElementById('filter-process')
const routine = document.getElementById('filter-routine')
const amount = document.getElementById('filter-amount')
function filter() {
  const wanted = words.value.trim().toLowerCase()
  let count = 0
  rows.forEach((row, place) => {
    const { process, routine: isRoutine } = row.dataset
    const isShown = texts[place].includes(wanted) && (who.value === '' || process === who.value) && (routine.checked || isRoutine === undefined)
    row.hidden = !isShown
    if (isShown) count++
  })
  amount.textContent = count + ' of ' + rows.length
}
for (const input of [words, who, routine]) input.addEventListener('input', filter)
filter()
`

export const SCRIPT = `(() => {
'use strict'
const root = document.documentElement
addEventListener('error', (event) => { root.dataset.error = event.message })
${FIGURE_SCRIPT}
${INPUT_SCRIPT}
${TABLE_SCRIPT}
root.dataset.ready = 'yes'
})()`

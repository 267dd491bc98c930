/**
 * What makes the page more than a picture: zoom, pan, tooltips, keyboard, links from sentences to
 * moments, and the filter of the table. Plain JavaScript for browsers, kept as text; it touches the
 * page only by attributes and text, never by markup.
 */
import { FIGURE_SCRIPT } from './page-script-figure.ts'
import { INPUT_SCRIPT } from './page-script-input.ts'
import { TABLE_SCRIPT } from './page-script-table.ts'

export const SCRIPT = `(() => {
'use strict'
const root = document.documentElement
addEventListener('error', (event) => { root.dataset.error = event.message })
${FIGURE_SCRIPT}
${INPUT_SCRIPT}
${TABLE_SCRIPT}
root.dataset.ready = 'yes'
})()`

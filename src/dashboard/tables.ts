/** The nodes and the Sentinels of a group, each a row; on a phone, each a card (style.css). */

import { type Child, element } from './dom.ts'
import { addressOf, bytes, type Mood, nodeState, SIGN, sentinelState, span } from './sentences.ts'
import type { ShownGroup, ShownNode, ShownSentinel } from './views.ts'

interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Child
  readonly kind?: 'figure' | 'name' | 'state'
}

const NODE_COLUMNS: readonly Column<ShownNode>[] = [
  { title: 'Node', cell: addressOf, kind: 'name' },
  { title: 'State', cell: (node) => signed(nodeState(node)), kind: 'state' },
  { title: 'Last reply', cell: ({ lastReplyMs }) => ago(lastReplyMs), kind: 'figure' },
  { title: 'Round trip', cell: ({ roundTripMs }) => milliseconds(roundTripMs), kind: 'figure' },
  { title: 'Offset', cell: ({ offset }) => offset?.toLocaleString('en') ?? '–', kind: 'figure' },
  {
    title: 'Behind',
    cell: ({ lagBytes }) => (lagBytes === null ? '–' : bytes(lagBytes)),
    kind: 'figure',
  },
  { title: 'Priority', cell: ({ priority }) => priority?.toString() ?? '–', kind: 'figure' },
  { title: 'Could be promoted', cell: promotable },
]

const SENTINEL_COLUMNS: readonly Column<ShownSentinel>[] = [
  {
    title: 'Sentinel',
    // Before it has a connection it does not know under which address others reach it.
    cell: (sentinel) => (sentinel.host === '' ? 'this Sentinel' : addressOf(sentinel)),
    kind: 'name',
  },
  { title: 'State', cell: (sentinel) => signed(sentinelState(sentinel)), kind: 'state' },
  { title: 'Sees the master', cell: (sentinel) => signed(seesMaster(sentinel)), kind: 'state' },
  {
    title: 'Last hello',
    cell: ({ lastHelloMs, isSelf }) => (isSelf ? '–' : ago(lastHelloMs)),
    kind: 'figure',
  },
  { title: 'Run id', cell: ({ runId }) => element('code', {}, runId.slice(0, 12)) },
]

export function nodeTable({ nodes }: ShownGroup): HTMLElement {
  return table(NODE_COLUMNS, nodes, ({ role }) => role)
}

export function sentinelTable({ sentinels }: ShownGroup): HTMLElement {
  return table(SENTINEL_COLUMNS, sentinels, () => 'sentinel')
}

/** A sign and a word, so that the colour is never alone. */
function signed({ mood, text }: { readonly mood: Mood; readonly text: string }): HTMLElement {
  return element('span', { class: mood }, `${SIGN[mood]} ${text}`)
}

function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  classOf: (row: Row) => string,
): HTMLElement {
  const titles = columns.map(({ title, kind }) =>
    element('th', { scope: 'col', class: kind }, title),
  )
  const lines = rows.map((row) => {
    const cells = columns.map(({ title, cell, kind }) =>
      element('td', { class: kind, 'data-label': title }, cell(row)),
    )
    return element('tr', { class: classOf(row) }, ...cells)
  })
  const head = element('thead', {}, element('tr', {}, ...titles))
  return element('table', {}, head, element('tbody', {}, ...lines))
}

function promotable({ role, notPromotable }: ShownNode): Child {
  if (role === 'master') return '–'
  return notPromotable === null
    ? signed({ mood: 'good', text: 'yes' })
    : signed({ mood: 'warn', text: `no: ${notPromotable}` })
}

function seesMaster({ seesMasterDown, isSelf, isDown }: ShownSentinel) {
  if (isDown && !isSelf) return { mood: 'quiet', text: 'unknown' } as const
  return seesMasterDown
    ? ({ mood: 'bad', text: 'down' } as const)
    : ({ mood: 'good', text: 'up' } as const)
}

function ago(ms: number | null): string {
  return ms === null ? 'never' : `${span(ms)} ago`
}

function milliseconds(ms: number | null): string {
  return ms === null ? '–' : `${ms} ms`
}

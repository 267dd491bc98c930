/** The queries of the dashboard that is shipped for Grafana. */
import { readFileSync } from 'node:fs'

const BOARD = new URL('../../deploy/grafana/vedette.json', import.meta.url)

interface Panel {
  readonly type: string
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

export interface BoardQuery {
  /** The title of the row that the panel stands in. */
  readonly row: string
  readonly title: string
  readonly expr: string
}

/** With the values that Grafana would put in place of its variables. */
export function boardQueries(): readonly BoardQuery[] {
  const { panels } = JSON.parse(readFileSync(BOARD, 'utf8')) as { readonly panels: Panel[] }
  return panels.flatMap(({ title, targets = [] }, at) => {
    const row = panels.slice(0, at).findLast(({ type }) => type === 'row')?.title ?? ''
    return targets.map(({ expr }) => ({
      ...{ row, title },
      expr: expr.replaceAll('$group', '.*').replaceAll('$__rate_interval', '5s'),
    }))
  })
}

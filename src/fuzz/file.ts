/** Writes a scenario as people write them: one line per node, step and expectation. */
import { Document, isCollection, isPair, isScalar, Scalar } from 'yaml'
import type { ScenarioWords } from './assemble.ts'

/** Each entry of these takes one line, whatever it contains. */
const LISTS: readonly (readonly string[])[] = [
  ['topology', 'zones'],
  ['topology', 'ways'],
  ['topology', 'groups'],
  ['topology', 'nodes'],
  ['topology', 'sentinels'],
  ['workload', 'clients'],
  ['timeline'],
  ['expect'],
]

/** The text of a scenario file. */
export function renderScenario(words: ScenarioWords): string {
  const document = new Document(words, { aliasDuplicateObjects: false })
  const story = document.get('story', true)
  if (isScalar(story)) story.type = Scalar.BLOCK_FOLDED
  for (const path of LISTS) layOut(document.getIn(path, true))
  const text = document.toString({ lineWidth: 0 })
  return text.replace(/^(topology|workload|timeline|expect):/gm, '\n$1:')
}

function layOut(list: unknown): void {
  if (!isCollection(list)) return
  for (const item of list.items) {
    const value = isPair(item) ? item.value : item
    if (isCollection(value)) value.flow = true
  }
}

/** [sync-replication] What a node of a strict group has kept of its terms: with some of it the node does not start, or no Sentinel can fence it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { Problem } from '../../config/problem.ts'
import { HONEST_MAX } from '../../core/election/renumber.ts'
import { parseTermFile, TERM_FILE } from '../../server/replication/strict/term-file.ts'
import type { Settings } from '../../server/settings/settings.ts'

const HINT = 'put the file back, or empty the folder to have a new node'

/** `place`: where the file says that the node is one. */
export function termProblems(
  settings: Settings,
  place: Pick<Problem, 'file' | 'line' | 'column' | 'path'>,
): readonly Problem[] {
  if (!settings.flag('sync-replication')) return []
  const path = join(utf8Text(settings.text('dir')), TERM_FILE)
  const text = textOf(path)
  if (text === undefined) return []
  const kept = parseTermFile(text)
  if (kept === undefined) {
    const message = `${path} is damaged, and the node does not start without its term`
    return [{ ...place, severity: 'error', code: 'E_STATE_DAMAGED', message, hint: HINT }]
  }
  if (kept.number <= HONEST_MAX) return []
  const message = `no election reaches term ${kept.number} in ${path} (at most ${HONEST_MAX}): a Sentinel may not be able to fence this node`
  const hint = 'empty the folder to have a new node, which copies the data'
  return [{ ...place, severity: 'warning', code: 'W_EPOCHS_FAR', message, hint }]
}

/** Undefined: there is none, or this user may not read it. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

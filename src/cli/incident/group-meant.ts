/** Asks Sentinels, and finds the group that is meant. */
import { EXIT_CONFIG, say } from '../report.ts'
import { type AccessOptions, readAccess } from '../status/access.ts'
import { askAll } from '../status/ask.ts'
import { silentLines } from '../status/silence.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from '../status/status.ts'
import type { SentinelAnswer } from '../status/view.ts'

export interface WireAccess extends AccessOptions {
  /** Where to begin to look for Sentinels. */
  readonly sentinel?: readonly string[]
}

export interface MeantGroup {
  readonly group: string
  /** All that were found, those without an answer too. */
  readonly sentinels: readonly SentinelAnswer[]
}

/** An exit status if it is not clear which group; then it has been said why. */
export async function askGroup(
  access: WireAccess,
  wanted: string | undefined,
): Promise<MeantGroup | number> {
  const login = readAccess(access)
  const sentinels = await askAll(access.sentinel ?? [DEFAULT_SENTINEL_ADDRESS], login)
  const group = groupMeant(sentinels, wanted)
  return typeof group === 'number' ? group : { group: group.name, sentinels }
}

/** The group that was asked for, or the only one there is; otherwise an exit status. */
function groupMeant(
  sentinels: readonly SentinelAnswer[],
  wanted: string | undefined,
): { readonly name: string } | number {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  if (silent.length === sentinels.length) {
    for (const line of silentLines(silent, true)) say(line)
    return EXIT_NO_ANSWER
  }
  const names = [...new Set(sentinels.flatMap(({ groups }) => groups.map(({ name }) => name)))]
  const [only, another] = names
  if (wanted === undefined && only !== undefined && another === undefined) return { name: only }
  if (wanted !== undefined && names.includes(wanted)) return { name: wanted }
  const known = watchedWords(names)
  if (wanted === undefined) say(`vedette: --group says which group is meant; ${known}`)
  else say(`vedette: no Sentinel that answers watches '${wanted}'; ${known}`)
  return EXIT_CONFIG
}

/** The groups that Sentinels watch, behind a sentence about them. */
export function watchedWords(names: readonly string[]): string {
  return names.length === 0 ? 'they watch none' : `they watch ${names.join(', ')}`
}

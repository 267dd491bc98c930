/**
 * `sentinel state-config-file <path>`: Valkey's name for a file in which its Sentinel keeps what it learns, so that the
 * configuration itself stays as it was written. Our Sentinel always does that, in a format of its own, so for us the
 * directive says where: beside that file, under its name with `.vedette` behind it, so that the way back to Valkey
 * stays open. What Valkey's Sentinel has learnt there counts as if it stood in the configuration.
 */
import { type ConfLine, readConfLines } from './conf-lines.ts'
import type { ConfOutside } from './config-filesystem.ts'

export const STATE_CONFIG_FILE = 'state-config-file'

/** Where our state file is. */
export function besideValkeys(path: string): string {
  return `${path}.vedette`
}

/** What a Sentinel learns; the rest of the file repeats the configuration. */
const LEARNT: readonly string[] = [
  ...['myid', 'current-epoch', 'config-epoch', 'leader-epoch'],
  ...['known-replica', 'known-slave', 'known-sentinel'],
]

/** The lines of the configuration, with what is in that file; unchanged if there is none. */
export function withValkeyState(
  lines: readonly ConfLine[],
  outside: ConfOutside,
): readonly ConfLine[] {
  const path = lines.findLast((line) => keywordOf(line) === STATE_CONFIG_FILE)?.args[1]
  const folder = lines.findLast(({ directive }) => directive === 'dir')?.args[0]
  const read = path === undefined ? undefined : outside.include(path, folder)
  if (read?.ok !== true) return lines
  const state = read.files.flatMap(({ name, text }) => readConfLines(text, name, outside).lines)
  const masters = new Map(
    state.filter((line) => keywordOf(line) === 'monitor').map(({ args }) => [args[1], args]),
  )
  const moved = lines.map((line) => {
    const learnt = keywordOf(line) === 'monitor' ? masters.get(line.args[1]) : undefined
    return learnt === undefined
      ? line
      : { ...line, args: [...learnt.slice(0, 4), ...line.args.slice(4)] }
  })
  return [...moved, ...state.filter((line) => LEARNT.includes(keywordOf(line)))]
}

function keywordOf({ directive, args }: ConfLine): string {
  return directive === 'sentinel' ? (args[0]?.toLowerCase() ?? '') : ''
}

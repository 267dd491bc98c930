/** INFO: which sections a client asked for, and their text. For the fields see info-sections.ts. */
import type { InfoSource } from './info-lines.ts'
import { SECTIONS } from './info-sections.ts'

/** Only included on request. */
const EXTRA_SECTIONS: ReadonlySet<string> = new Set(['commandstats', 'latencystats'])

/** `wanted` names sections, or groups of them: `all`, `everything`, `default`. Unknown names are ignored. */
export function infoText(source: InfoSource, wanted: readonly string[]): string {
  const names = new Set(wanted.map((word) => word.toLowerCase()))
  const hasAll = names.has('all') || names.has('everything')
  const hasDefault = hasAll || names.has('default') || names.size === 0
  const texts: string[] = []
  for (const [title, fields] of SECTIONS) {
    const name = title.toLowerCase()
    const isWanted = names.has(name) || (EXTRA_SECTIONS.has(name) ? hasAll : hasDefault)
    if (isWanted) texts.push(sectionText(title, fields(source)))
  }
  return texts.join('\r\n')
}

function sectionText(title: string, lines: readonly string[]): string {
  return [`# ${title}`, ...lines, ''].join('\r\n')
}

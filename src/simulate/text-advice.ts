import type { Painter } from '../scenario/report.ts'
import type { Advice } from './evidence.ts'
import { paragraph } from './text-table.ts'

/** Setting and effect, what was seen of it with its seed, and what to try. */
export function adviceLines(advice: readonly Advice[], paint: Painter): string[] {
  if (advice.length === 0) return ['  No setting is to blame for what these histories brought.']
  return advice.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...oneAdvice(each, paint)])
}

function oneAdvice(advice: Advice, paint: Painter): string[] {
  const { group, setting, effect, seen, seed, tryThis } = advice
  const name = group === undefined ? setting : `${group}: ${setting}`
  const [first = '', ...rest] = paragraph(`! ${name}: ${effect}.`, '  ')
  const mark = paint.bad('!')
  const marked = first.startsWith(`  ! ${name}`)
    ? `  ${mark} ${paint.bold(name)}${first.slice(4 + name.length)}`
    : first
  const where = seed === undefined ? '' : ` (#${seed})`
  return [
    marked,
    ...rest.map((line) => `  ${line}`),
    ...paragraph(`${seen.replace(/\.$/, '')}${where}.`, '    '),
    ...paragraph(`Try ${tryThis}.`, '    '),
  ]
}

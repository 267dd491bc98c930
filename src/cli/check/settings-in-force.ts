/**
 * `vedette check --settings`: every option of every group as it would be in force, and where it comes from:
 * the group itself, the `defaults:` of the file, or the program. What a group inherits is otherwise seen
 * only by reading two places at once. Passwords are not shown.
 */
import { utf8Text } from '../../base/utf8.ts'
import { locationOf, type SentinelFile } from '../../config/sentinel-file.ts'
import type { GroupOption } from '../../core/group-option-kinds.ts'
import { GROUP_OPTION_ROWS, optionText } from '../../core/group-options.ts'

export interface SettingInForce {
  readonly value: string
  readonly from: 'group' | 'defaults' | 'program'
  /** Of the file; undefined: no line says it. */
  readonly line: number | undefined
}

/** By group, and by the option's name in sentinel.yml. */
export type SettingsInForce = Readonly<Record<string, Readonly<Record<string, SettingInForce>>>>

export function settingsInForce(file: SentinelFile): SettingsInForce {
  return Object.fromEntries(
    file.core.groups.map((group) => {
      const settings = GROUP_OPTION_ROWS.map(([key, row]) => {
        const place = locationOf(file, `groups.${group.name}.${row.yml}`)
        return [row.yml, { value: valueText(row, optionText(group[key])), ...origin(place) }]
      })
      return [utf8Text(group.name), Object.fromEntries(settings)]
    }),
  )
}

function origin({ line, inheritedFrom }: ReturnType<typeof locationOf>) {
  if (inheritedFrom !== undefined) return { from: 'defaults', line } as const
  return line === undefined
    ? ({ from: 'program', line } as const)
    : ({ from: 'group', line } as const)
}

function valueText({ kind, isSecret }: GroupOption, value: string): string {
  if (isSecret === true && value !== '') return '(not shown)'
  return kind === 'duration' ? `${value} ms` : utf8Text(value)
}

export function settingsText(settings: SettingsInForce): string {
  return Object.entries(settings)
    .map(([group, options]) => {
      const names = Object.keys(options).map(({ length }) => length)
      const values = Object.values(options).map(({ value }) => value.length)
      const lines = Object.entries(options).map(([option, { value, from, line }]) => {
        const shown = value === '' ? '-' : value
        const where = line === undefined ? '' : `, line ${line}`
        const columns = [option.padEnd(Math.max(...names)), shown.padEnd(Math.max(1, ...values))]
        return `  ${columns.join('  ')}  ${from}${where}\n`
      })
      return `${group}\n${lines.join('')}`
    })
    .join('\n')
}

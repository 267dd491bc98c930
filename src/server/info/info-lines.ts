import type { CommandContext } from '../context.ts'

/** The node that the fields are about, and the moment. */
export type InfoSource = Pick<CommandContext, 'node' | 'now'>

/** INFO's lines: `field:value`, in the order in which the fields are named. */
export function lines(fields: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}:${value}`)
}

/** The ACL categories of a command, as COMMAND INFO shows them and ACL rules name them. */
import type { CommandSpec } from './command.ts'

/** With the sign that rules are written with, in Redis' order: what the flags imply, and what is added to it. */
export function categoriesOf({ flags, categories }: CommandSpec): readonly string[] {
  const all: readonly (readonly [string, boolean])[] = [
    ['@pubsub', flags.includes('pubsub')],
    ['@admin', flags.includes('admin') || categories.includes('admin')],
    ['@fast', flags.includes('fast')],
    ['@slow', !flags.includes('fast')],
    ['@dangerous', flags.includes('admin') || categories.includes('dangerous')],
    ['@connection', categories.includes('connection')],
  ]
  return all.filter(([, holds]) => holds).map(([name]) => name)
}

/** The ACL categories of a command, as COMMAND INFO shows them and ACL rules name them. */
import type { PortCommandSpec } from './command.ts'

/**
 * With the sign that rules are written with, in Redis' order: the categories that the flags imply,
 * and those that the command adds.
 */
export function categoriesOf({ flags, categories }: PortCommandSpec): readonly string[] {
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

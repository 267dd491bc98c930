/** COMMAND DOCS: each command as people need it, with the grammar of its arguments. */
import { array, bulk, integer, type Reply } from '../../../resp/reply.ts'
import { replyMap, statusSet } from '../../../session/commands.ts'
import type { CommandInfo } from '../../catalogue/command-info.ts'
import { type ArgumentDocs, type CommandProse, parseDocs } from './docs-text.ts'
import { ELEMENT_DOCS } from './element-docs.ts'
import { KEY_DOCS } from './key-docs.ts'
import { NODE_DOCS } from './node-docs.ts'
import { ORDERED_DOCS } from './ordered-docs.ts'
import { STRING_DOCS } from './string-docs.ts'

type Field = readonly [name: string, value: Reply]

let parsed: ReadonlyMap<string, CommandProse> | undefined

/** By full name. Parsed when it is asked for first: no other command needs it. */
export function proseOf(fullName: string): CommandProse | undefined {
  parsed ??= parseDocs(
    [STRING_DOCS, ELEMENT_DOCS, ORDERED_DOCS, KEY_DOCS, NODE_DOCS]
      .map((text) => text.trim())
      .join('\n'),
  )
  return parsed.get(fullName)
}

/** A map of the commands, each with a map of what is known. */
export function docsOf(commands: readonly CommandInfo[]): Reply {
  return replyMap(commands.map((one) => [one.fullName, replyMap(fieldsOf(one))]))
}

function fieldsOf({ fullName, group, subcommands }: CommandInfo): Field[] {
  const prose = proseOf(fullName)
  const about: Field[] = prose === undefined ? [['group', bulk(group)]] : proseFields(prose, group)
  if (subcommands === undefined) return about
  return [...about, ['subcommands', docsOf([...subcommands.values()])]]
}

function proseFields(prose: CommandProse, group: string): Field[] {
  const { summary, since, deprecatedSince, isInternal, parts } = prose
  const flags = [
    ...(deprecatedSince === undefined ? [] : ['deprecated']),
    ...(isInternal ? ['syscmd'] : []),
  ]
  return [
    ['summary', bulk(summary)],
    ['since', bulk(since)],
    ['group', bulk(group)],
    ...(flags.length === 0 ? [] : [['doc_flags', statusSet(flags)] as const]),
    ...known('deprecated_since', deprecatedSince),
    ...(parts.length === 0 ? [] : [['arguments', argumentsReply(parts)] as const]),
  ]
}

function argumentsReply(parts: readonly ArgumentDocs[]): Reply {
  return array(parts.map((part) => replyMap(argumentFields(part))))
}

function argumentFields(part: ArgumentDocs): Field[] {
  const { name, type, keySpec, token, since, deprecatedSince, flags, parts } = part
  return [
    ['name', bulk(name)],
    ['type', bulk(type)],
    ...(keySpec === undefined ? [] : [['key_spec_index', integer(keySpec)] as const]),
    ...known('token', token),
    ...known('since', since),
    ...known('deprecated_since', deprecatedSince),
    ...(flags.length === 0 ? [] : [['flags', statusSet(flags)] as const]),
    ...(parts.length === 0 ? [] : [['arguments', argumentsReply(parts)] as const]),
  ]
}

function known(name: string, text: string | undefined): readonly Field[] {
  return text === undefined ? [] : [[name, bulk(text)]]
}

/** `vedette ledger show`: what a data node threw away in a resynchronisation. */
import { printJson } from '../json-answer.ts'
import { commandLine, keysIn, type Ledger, openLedger, word, writesOf } from './ledger-file.ts'

export interface ShowOptions {
  readonly json?: boolean
}

const SHOWN_KEYS = 20

/** Returns the exit status. */
export function runLedgerShow(path: string, { json }: ShowOptions): number {
  const ledger = openLedger(path)
  if (json === true) printJson(asObject(ledger))
  else process.stdout.write(asText(ledger))
  return 0
}

function asText(ledger: Ledger): string {
  const { facts, end } = ledger
  const keys = keyNames(ledger)
  const more = keys.length > SHOWN_KEYS ? `, … (${keys.length - SHOWN_KEYS} more)` : ''
  const share = facts.rule === 'exact' ? 'exactly what was lost' : 'at most this was lost'
  const gap = facts.kept > facts.from ? `, kept from ${facts.kept} on` : ''
  const lines = [
    `node:      ${facts.node.replace(/^:/, 'port ')}`,
    `written:   ${new Date(facts.writtenAtMs).toISOString()}`,
    `history:   ${facts.history}, offsets ${facts.from} to ${facts.to}${gap}`,
    `copied:    ${facts.master}, ${facts.masterHistory} at ${facts.masterOffset}`,
    `rule:      ${facts.rule} (${share})`,
    `commands:  ${end.commands}`,
    `keys:      ${end.keys}: ${keys.slice(0, SHOWN_KEYS).map(word).join(', ')}${more}`,
    '',
    ...ledger.commands.map(commandLine),
  ]
  return `${lines.join('\n')}\n`
}

/** Each character of a key or an argument stands for one byte. */
function asObject(ledger: Ledger): object {
  const { facts, end } = ledger
  return { ...facts, ...end, keyNames: keyNames(ledger), list: ledger.commands }
}

function keyNames(ledger: Ledger): string[] {
  return [...new Set(writesOf(ledger).flatMap(keysIn))]
}

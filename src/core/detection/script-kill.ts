/**
 * SCRIPT KILL. While a script runs for longer than it may, a server answers BUSY to everything, PING
 * included, and serves no client. Once that has lasted a down-after we tell it to end the script,
 * which it can as long as the script has not written; otherwise it is failed over.
 */
import type { Instance, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { log, send } from '../turn.ts'

/** Called when a PING was answered with BUSY. Sends the command once in each S_DOWN. */
export function killScript(turn: Turn, instance: Instance): void {
  const connection = commandLink(instance)
  if (connection === undefined || !isSdown(instance) || instance.scriptKillSent) return
  instance.scriptKillSent = true
  log(
    turn,
    'notice',
    `telling ${instance.kind} ${instance.name} to end the script that keeps it busy`,
  )
  send(turn, connection, { kind: 'scriptKill' }, ['SCRIPT', 'KILL'])
}

/**
 * [MONITOR] Clients that are told of every command as it is executed. What is only for operators is
 * left out, and so are passwords.
 */
import type { Moment } from '../../base/clock.ts'
import { quoted } from '../../base/quote.ts'
import { OK, type Reply, simple } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import { Announcement } from '../sessions/announcement.ts'
import type { ClientSession } from '../sessions/session.ts'

export class Monitors {
  readonly #sessions = new Set<ClientSession>()
  /** What the client is told whose command runs. */
  #own: Announcement[] = []

  /** Whether anybody is told; asked with every command. */
  get isOn(): boolean {
    return this.#sessions.size > 0
  }

  /** A replica or a monitor gets no answer. */
  add(session: ClientSession): Reply | undefined {
    if (session.kind === 'replica' || session.isMonitor) return undefined
    session.isMonitor = true
    this.#sessions.add(session)
    return OK
  }

  remove(session: ClientSession): void {
    session.isMonitor = false
    this.#sessions.delete(session)
  }

  /** The client has run the command, in its own database or that of its script. */
  tell(client: ClientSession, command: CommandInfo, argv: readonly string[], now: Moment): void {
    const source = `${client.db} ${sourceOf(client)}`
    const line = new Announcement(simple(`${timeText(now)} [${source}] ${wordsOf(command, argv)}`))
    for (const session of this.#sessions) {
      if (session === client) this.#own.push(line)
      else session.tell(line)
    }
  }

  /** The client has its answer: now a monitor is told of its own command. */
  answered(client: ClientSession): void {
    if (this.#own.length === 0) return
    for (const line of this.#own) if (!client.isClosing) client.tell(line)
    this.#own = []
  }
}

function sourceOf({ isScript, address }: ClientSession): string {
  return isScript ? 'lua' : address
}

function wordsOf(command: CommandInfo, argv: readonly string[]): string {
  return withoutSecrets(command, argv).map(quoted).join(' ')
}

/** Seconds and microseconds. */
function timeText({ wallMs }: Moment): string {
  const seconds = Math.floor(wallMs / 1000)
  const micros = Math.floor((wallMs - seconds * 1000) * 1000)
  return `${seconds}.${String(micros).padStart(6, '0')}`
}

/** The words as others may see them. */
export function withoutSecrets(command: CommandInfo, argv: readonly string[]): readonly string[] {
  const places = command.traits.secrets?.(argv) ?? []
  if (places.length === 0) return argv
  return argv.map((word, at) => (places.includes(at) ? '(redacted)' : word))
}

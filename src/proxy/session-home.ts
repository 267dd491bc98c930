/** What sessions ask of the proxy they belong to. */
import type { Address } from '../base/ip.ts'
import type { ScriptShelf } from './carried-scripts.ts'
import type { CommandKinds } from './command-kinds.ts'
import type { PlainCommands } from './plain-commands.ts'
import type { ClientEnds, Entrance, ProxyPort, WireId } from './port.ts'
import type { ProxyTiming } from './proxy-options.ts'

export interface SessionHome {
  readonly port: ProxyPort
  readonly kinds: CommandKinds
  readonly plain: PlainCommands
  readonly shelf: ScriptShelf
  /** As configured at this moment. */
  limits(): Pick<ProxyTiming, 'holdMs' | 'holdBytes' | 'farewellMs'>
  readonly counts: ProxyCounts
  /** Where this client's commands may go now, if anywhere. `present`: where they go so far. */
  route(entrance: Entrance, present: Address | undefined, nowMs: number): Address | undefined
  /** A switch is about to happen, and new commands had better wait for it. */
  isSwitching(entrance: Entrance, nowMs: number): boolean
  openServer(client: WireId, address: Address): WireId
  forgetServer(stream: WireId): void
  /** A server is not what the Sentinels said, or is `lost`, it has ended a connection: they are asked at once. */
  doubt(entrance: Entrance, lost?: Address): void
  /** It was lost just now. A new connection proves nothing: the system accepts those of a process that dies. */
  isDoubtful(entrance: Entrance, server: Address): boolean
  /** The session wants `look` to be called every few milliseconds, or not any more. */
  attend(client: WireId, isNeeded: boolean): void
  /** The client is gone, or has been closed. */
  ended(client: WireId): void
  proxyCommand(argv: readonly string[]): string
  /** The header that tells a server where the client comes from; empty for none. */
  proxyHeader(ends: ClientEnds): string
}

export interface ProxyCounts {
  commands: number
  refused: number
  unanswered: number
  repeated: number
  moves: number
  /** Bytes of commands that wait. */
  heldBytes: number
}

/** A client that does not read its answers is not read either beyond this. */
export const MAX_QUEUED_BYTES = 1024 * 1024

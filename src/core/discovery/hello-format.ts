/**
 * The hello: eight comma-separated tokens that say our address and run id, which epoch we have reached, which
 * master we know, and since which epoch. Format and channel are Sentinel's own.
 */
import type { Address } from '../../base/ip.ts'
import { parseEpoch } from '../election/epoch.ts'

export const HELLO_CHANNEL = '__sentinel__:hello'

/**
 * Two host names, the name of a group and numbers: a hello has no reason to be longer, and must not
 * make us keep a megabyte.
 */
const MAX_HELLO_BYTES = 4096

export interface Hello {
  readonly host: string
  readonly port: number
  readonly runId: string
  readonly currentEpoch: number
  readonly group: string
  readonly masterHost: string
  readonly masterPort: number
  readonly configEpoch: number
}

/** What a peer's last hello said; until one has come, `helloReceivedAtMs` is when the peer was met. */
export interface LastHello {
  helloReceivedAtMs: number
  /** The group's config epoch. */
  helloConfigEpoch: number
  helloMaster: Address | undefined
}

export function formatHello(hello: Hello): string {
  const { host, port, runId, currentEpoch, group, masterHost, masterPort, configEpoch } = hello
  return [host, port, runId, currentEpoch, group, masterHost, masterPort, configEpoch].join(',')
}

/** Peers say the same every two seconds, on each instance: what was read once is known, and bounded. */
const known = new Map<string, Hello>()
const MAX_KNOWN = 8192
const MAX_KNOWN_BYTES = 512

/** Undefined for anything that an honest Sentinel would not say. */
export function parseHello(payload: string): Hello | undefined {
  if (payload.length > MAX_KNOWN_BYTES) return readHello(payload)
  const before = known.get(payload)
  if (before !== undefined) return before
  const hello = readHello(payload)
  if (known.size >= MAX_KNOWN) known.clear()
  if (hello !== undefined) known.set(payload, hello)
  return hello
}

function readHello(payload: string): Hello | undefined {
  if (payload.length > MAX_HELLO_BYTES) return undefined
  const tokens = payload.split(',')
  if (tokens.length !== 8) return undefined
  const [host, port, runId, currentEpoch, group, masterHost, masterPort, configEpoch] = tokens
  const hello = {
    host: host ?? '',
    port: parsePort(port),
    runId: runId ?? '',
    currentEpoch: parseEpoch(currentEpoch ?? ''),
    group: group ?? '',
    masterHost: masterHost ?? '',
    masterPort: parsePort(masterPort),
    configEpoch: parseEpoch(configEpoch ?? ''),
  }
  return isComplete(hello) ? hello : undefined
}

type Candidate = { readonly [Key in keyof Hello]: Hello[Key] | undefined }

function isComplete(hello: Candidate): hello is Hello {
  if (Object.values(hello).some((value) => value === undefined || value === '')) return false
  return /^[0-9a-f]{40}$/.test(hello.runId ?? '')
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : undefined
}

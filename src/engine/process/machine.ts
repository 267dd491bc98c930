/**
 * What this machine can do: whether we are root, which tools there are, and what the kernel was
 * built with. Each is tried and not looked up, once per process, in namespaces that are removed at
 * once.
 */
import { ownedPrefix, removeNamespace, removeOwned } from './leftovers.ts'
import { runToolSync } from './tool.ts'

export interface HostCapabilities {
  /** What is missing for any run at all, each with how to mend it; empty: nothing. */
  readonly missing: readonly string[]
  /** Latency, jitter and duplication of links: the kernel's netem queue. */
  readonly canDelay: boolean
  /** Bandwidth of links: the kernel's HTB queue. */
  readonly canThrottle: boolean
  /** Connections can be reset from outside. */
  readonly canReset: boolean
  readonly hasRedis: boolean
}

interface Tool {
  readonly command: string
  readonly argv: readonly string[]
  readonly origin: string
}

const TOOLS: readonly Tool[] = [
  { command: 'ip', argv: ['-V'], origin: 'iproute2' },
  { command: 'tc', argv: ['-V'], origin: 'iproute2' },
  { command: 'nft', argv: ['--version'], origin: 'nftables' },
]

const FIREWALL = 'add table bridge t; add chain bridge t c { type filter hook forward priority 0; }'

let known: HostCapabilities | undefined

export function probeMachine(): HostCapabilities {
  known ??= probe()
  return known
}

function probe(): HostCapabilities {
  const missing = [...missingRights(), ...missingTools()]
  if (missing.length > 0) return { ...NOTHING, missing, hasRedis: hasRedis() }
  const hub = `${ownedPrefix()}-probe`
  try {
    return probeKernel(hub)
  } finally {
    removeNamespace(hub)
  }
}

const NOTHING = { canDelay: false, canThrottle: false, canReset: false }

function probeKernel(hub: string): HostCapabilities {
  const hasNamespaces = works('ip', ['netns', 'add', hub])
  const inside = (...argv: string[]): boolean => works('ip', ['netns', 'exec', hub, ...argv])
  const hasBridge = works('ip', ['-n', hub, 'link', 'add', 'bridge', 'type', 'bridge'])
  const veth = ['link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other']
  const hasVeth = works('ip', ['-n', hub, ...veth])
  const queue = (kind: string): boolean =>
    inside('tc', 'qdisc', 'replace', 'dev', 'one', 'root', ...kind.split(' '))
  const kernel = [
    part(hasNamespaces, 'cannot make network namespaces', 'CONFIG_NET_NS, and CAP_SYS_ADMIN'),
    part(hasBridge, 'cannot make bridges', 'CONFIG_BRIDGE; modprobe bridge'),
    part(hasVeth, 'cannot make veth links', 'CONFIG_VETH; modprobe veth'),
    part(inside('nft', FIREWALL), 'cannot filter on a bridge', 'CONFIG_NF_TABLES_BRIDGE'),
  ]
  return {
    missing: kernel.flat(),
    canDelay: queue('netem delay 1ms'),
    canThrottle: queue('htb'),
    canReset: inside('ss', '-K', 'dst', '192.0.2.1'),
    hasRedis: hasRedis(),
  }
}

function part(isThere: boolean, fault: string, mend: string): string[] {
  return isThere ? [] : [`the kernel ${fault} (it takes ${mend})`]
}

function missingRights(): string[] {
  return process.getuid?.() === 0 ? [] : ['it is not run as root (run it with sudo)']
}

function missingTools(): string[] {
  if (process.platform !== 'linux') return ['this is not Linux']
  const absent = TOOLS.filter(({ command, argv }) => !works(command, argv))
  return absent.map(({ command, origin }) => `${command} is not installed (package ${origin})`)
}

function hasRedis(): boolean {
  return works('redis-server', ['--version']) && works('redis-sentinel', ['--version'])
}

/** `7.0.15`; empty if it cannot be told. */
export function redisVersion(): string {
  const { stdout } = runToolSync('redis-server', ['--version'])
  return /\bv=(\S+)/.exec(String(stdout ?? ''))?.[1] ?? ''
}

function works(command: string, argv: readonly string[]): boolean {
  return runToolSync(command, argv).status === 0
}

/**
 * Removes everything that this very process made, at once: for the moment in which it is told to
 * end.
 */
export function removeOurs(): void {
  removeOwned((pid) => pid === process.pid)
}

/** Only a Sentinel, over nodes that run already: redis-server, a container, a node of ours. */
import { canonicalIp } from '../base/ip.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { groupNameFault } from '../config/group-name.ts'
import { addressHint, canonicalHost } from '../config/host-name.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_PERIODS,
  DEFAULT_SENTINEL,
  type SentinelConfig,
} from '../core/config.ts'
import { NameLookups } from '../io/network/name-lookups.ts'
import { reasonOf } from '../io/start-error.ts'
import type { SentinelMember, TestSentinel } from './api.ts'
import { checkCount, checkNames, checkText, shown } from './arguments.ts'
import { RunningClock } from './cluster-clock.ts'
import { Diary } from './diary.ts'
import { HostedSentinelMember } from './sentinel-member.ts'
import { ALONE } from './server.ts'
import type { StartSentinelOptions } from './start-options.ts'
import { Switchboard } from './switchboard.ts'

/** A master that is known by its address alone is asked for its replicas soon. */
const PERIODS = { ...DEFAULT_PERIODS, infoMs: 500, minLinkReconnectMs: 200 }

export async function startSentinel(options: StartSentinelOptions): Promise<TestSentinel> {
  checkOptions(options)
  await Promise.all(Object.entries(options.masters).map(demandAddress))
  const clock = new RunningClock()
  const switchboard = new Switchboard(() => clock)
  const diary = new Diary(clock)
  try {
    const door = await switchboard.open('sentinel')
    const config = configOf(options, door.port)
    const member = new HostedSentinelMember({
      ...{
        name: door.name,
        door,
        switchboard,
        clock,
        cluster: ALONE,
        config,
        seed: `${door.port}`,
      },
      saved: undefined,
      log: (name, level, text) => diary.logged(name, level, text),
      onEvent: (name, event) => diary.announced(name, event),
    })
    member.start()
    const end = async () => {
      member.halt()
      await switchboard.close()
      diary.close()
      clock.stop()
    }
    return new RunningSentinel(member, diary, end)
  } catch (error) {
    await switchboard.close()
    clock.stop()
    throw error
  }
}

class RunningSentinel implements TestSentinel {
  readonly sentinel: SentinelMember
  readonly host: string
  readonly port: number
  readonly stop: () => Promise<void>
  readonly #member: HostedSentinelMember
  readonly #diary: Diary

  constructor(member: HostedSentinelMember, diary: Diary, stop: () => Promise<void>) {
    this.sentinel = member
    this.host = member.host
    this.port = member.port
    this.stop = stop
    this.#member = member
    this.#diary = diary
  }

  get events() {
    return this.#diary.events()
  }

  masterOf(group: string): { host: string; port: number } {
    const view = this.#member.view(utf8Bytes(group))
    if (view === undefined) throw new TypeError(`the Sentinel does not watch '${group}'`)
    return { host: view.masterHost, port: view.masterPort }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function checkOptions(options: StartSentinelOptions): void {
  checkNames('startSentinel', options, [
    ...['masters', 'quorum', 'downAfterMs', 'failoverTimeoutMs', 'password', 'sentinelPassword'],
  ])
  const { masters = {}, password = '', sentinelPassword = '' } = options
  checkNames('masters', masters, Object.keys(masters ?? {}))
  if (Object.keys(masters).length === 0)
    throw new TypeError('masters: name at least one, with host and port')
  for (const [name, master] of Object.entries(masters)) {
    checkGroupName(name)
    checkNames(`masters: ${name}`, master, ['host', 'port'])
    checkHost(name, master.host)
    checkCount(`masters: ${name}: port`, master.port, 1, 65_535)
  }
  for (const name of ['quorum', 'downAfterMs', 'failoverTimeoutMs'] as const)
    if (options[name] !== undefined) checkCount(name, options[name], 1, Number.MAX_SAFE_INTEGER)
  checkText('password', password)
  checkText('sentinelPassword', sentinelPassword)
}

/** Quotes and backslashes stand for something else in the Sentinel's own file. */
function checkGroupName(name: string): void {
  const fault = /["'\\]/.test(name) ? 'a group name has no quotes' : groupNameFault(name)
  if (fault === undefined) return
  throw new TypeError(`masters: ${fault}, not ${shown(name)}; take one such as mymaster`)
}

function checkHost(group: string, host: unknown): void {
  checkText(`masters: ${group}: host`, host)
  if (canonicalHost(String(host)) !== undefined) return
  const hint = addressHint(host, 'such as 127.0.0.1 or localhost')
  throw new TypeError(`masters: ${group}: host: an address or a name, ${hint}, not ${shown(host)}`)
}

async function demandAddress([group, { host }]: readonly [string, { host: string }]) {
  if (canonicalIp(host) !== undefined) return
  await new NameLookups().resolve(host).catch((error: unknown) => {
    throw new Error(
      `masters: ${group}: host: '${host}' has no address (${reasonOf(error)}); take one that this machine can look up, or an IP address`,
    )
  })
}

function configOf(options: StartSentinelOptions, port: number): SentinelConfig {
  const {
    masters,
    downAfterMs = 250,
    failoverTimeoutMs = 3_000,
    quorum = 1,
    password = '',
  } = options
  const entries = Object.entries(masters)
  const groups = entries.map(([name, { host, port: masterPort }]) => ({
    ...DEFAULT_GROUP,
    ...{ name: utf8Bytes(name), host: canonicalHost(host) ?? host, port: masterPort },
    ...{ quorum, downAfterMs, failoverTimeoutMs, authPass: utf8Bytes(password) },
  }))
  return {
    ...{ ...DEFAULT_SENTINEL, port, groups, periods: PERIODS },
    resolveHostnames: groups.some(({ host }) => canonicalIp(host) === undefined),
    requirepass: utf8Bytes(options.sentinelPassword ?? ''),
  }
}

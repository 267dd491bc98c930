/**
 * Receiving hellos: peers are discovered, epochs spread, and the configuration with the highest config
 * epoch wins, in TILT too. What an honest Sentinel would not say is passed over as a whole.
 */
import { announce } from './events.ts'
import { discardFailover } from './failover-state.ts'
import { type Hello, parseHello } from './hello-text.ts'
import { save } from './memory/save.ts'
import type { Address } from './memory/saved.ts'
import {
  complainOfHost,
  hostIdentity,
  isPuzzling,
  knownName,
  sameAddress,
  usableHost,
} from './names/names.ts'
import { adoptEpoch } from './new-epoch.ts'
import { meetPeer } from './peers.ts'
import { callReconfigScript } from './scripts/script-calls.ts'
import type { Group, Peer, State, Turn } from './state.ts'
import { currentMaster, dataInstancesOf } from './state.ts'
import { switchMaster } from './switch.ts'

/** Handles one hello, from a subscription or sent straight to us. */
export function receiveHello(turn: Turn, payload: string): void {
  const hello = parseHello(payload)
  if (hello !== undefined && hello.runId !== turn.state.myid) takeHello(turn, hello)
}

/** Handles a hello that makes sense, as it comes or once a name in it has been answered. */
export function takeHello(turn: Turn, hello: Hello): void {
  const group = turn.state.groups.get(hello.group)
  if (group === undefined || isPutOff(turn, group, hello)) return
  const peer = sender(turn, group, hello)
  adoptEpoch(turn, group, hello.currentEpoch)
  if (peer === undefined) return
  peer.helloReceivedAtMs = turn.now.monoMs
  peer.helloConfigEpoch = hello.configEpoch
  if (prevails(turn.state, group, hello)) adoptConfiguration(turn, group, peer, hello)
}

/** Is a new host's name still to be answered? Then nobody can say yet whether there is any news. */
function isPutOff(turn: Turn, group: Group, hello: Hello): boolean {
  const isNewPeer = group.peers.get(hello.runId)?.host !== hello.host
  const isNewMaster =
    hello.configEpoch >= group.configEpoch && currentMaster(group).host !== hello.masterHost
  return (
    (isNewPeer && hold(turn, hello.host, hello)) ||
    (isNewMaster && hold(turn, hello.masterHost, hello))
  )
}

function hold(turn: Turn, host: string, hello: Hello): boolean {
  if (!isPuzzling(turn, host)) return false
  const held = knownName(turn.state, host)?.heldHellos
  const before = held?.get(hello.group)
  // Several may tell of a new master; whoever knows the newest failover is the one to hear.
  if (before === undefined || before.configEpoch <= hello.configEpoch) held?.set(hello.group, hello)
  return true
}

/** Undefined: it is new, and where it says it lives nobody can be reached. */
function sender(turn: Turn, group: Group, hello: Hello): Peer | undefined {
  const known = group.peers.get(hello.runId)
  if (known?.host === hello.host && known.port === hello.port) return known
  const host = usableHost(turn.state, hello.host)
  if (host !== undefined) return meetPeer(turn, group, { ...hello, host })
  complainOfHost(turn, hello.host, `Sentinel ${hello.runId}`)
  return known
}

/**
 * The higher config epoch wins. Elections give each epoch to one leader, but two operators who force
 * failovers on both sides of a partition can take the same one; without a tie-break the group would
 * be split for ever. Epoch 0 is what the files say, and no hello overrules a file.
 */
function prevails(state: State, group: Group, hello: Hello): boolean {
  if (hello.configEpoch !== group.configEpoch) return hello.configEpoch > group.configEpoch
  const { host, port } = currentMaster(group)
  const isSame = hello.masterHost === host && hello.masterPort === port
  if (hello.configEpoch === 0 || isSame) return false
  const theirs = `${hostIdentity(state, hello.masterHost)} ${hello.masterPort}`
  return theirs < `${hostIdentity(state, host)} ${port}`
}

/** A newer failover than any we know of has put this master in place. */
function adoptConfiguration(turn: Turn, group: Group, peer: Peer, hello: Hello): void {
  const to = namedMaster(turn.state, group, hello)
  if (to === undefined) {
    complainOfHost(turn, hello.masterHost, `new master of ${hello.group}`)
    return
  }
  group.configEpoch = hello.configEpoch
  const { config, master } = group
  const isKnown = sameAddress(turn.state, config, to)
  // In a failover of ours we name the promoted replica already: then even the old master is news.
  if (isKnown && currentMaster(group) === master) {
    overrule(turn, group)
    save(turn)
    return
  }
  announce(turn, 'warning', '+config-update-from', peer)
  const from = switchMaster(turn, group, to)
  callReconfigScript(turn, group, 'observer', from, to)
}

/**
 * A node we know keeps the name we know it by. Undefined where that can be no node: C Sentinel takes the
 * epoch then without the address, and tells everyone that the old master is the newest.
 */
function namedMaster(state: State, group: Group, hello: Hello): Address | undefined {
  const host = usableHost(state, hello.masterHost)
  if (host === undefined) return undefined
  const named = { host, port: hello.masterPort }
  const known = dataInstancesOf(group).find((one) => sameAddress(state, one, named))
  return known === undefined ? named : { host: known.host, port: known.port }
}

/** A failover of ours that is older, and has promoted nobody yet, would take the epoch back. */
function overrule(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover !== undefined && failover.epoch < group.configEpoch) discardFailover(turn, group)
}

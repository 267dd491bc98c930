/**
 * Receiving hellos: peers are discovered, epochs spread, and the configuration with the highest config
 * epoch wins, in TILT too. A hello that no honest Sentinel would send is ignored as a whole.
 */

import type { Address } from '../../base/ip.ts'
import { askForEpoch } from '../detection/confer.ts'
import { isBelievable, learnEpoch, type Speaker } from '../election/new-epoch.ts'
import { announce } from '../events.ts'
import { discardFailover } from '../failover/failover-state.ts'
import { followSwitch, takeAlong } from '../failover/shared-master.ts'
import {
  complainOfHost,
  hostIdentity,
  isPuzzling,
  knownName,
  sameAddress,
  usableHost,
} from '../names/names.ts'
import { save } from '../persistence/save.ts'
import type { Group, Peer, State, Turn } from '../state.ts'
import { currentMaster, dataInstancesOf } from '../state.ts'
import { noteOwnId } from './clones.ts'
import { type Hello, parseHello } from './hello-format.ts'
import { meetPeer } from './peers.ts'

/** Handles one hello, from a subscription or sent straight to us. */
export function receiveHello(turn: Turn, payload: string): void {
  const hello = parseHello(payload)
  if (hello === undefined) return
  if (hello.runId === turn.state.myid) noteOwnId(turn, hello)
  else takeHello(turn, hello)
}

/** Handles a well-formed hello: as it arrives, or once a name in it has been resolved. */
export function takeHello(turn: Turn, hello: Hello): void {
  const group = turn.state.groups.get(hello.group)
  if (group === undefined) return
  if (!isTimely(turn, group, hello)) return lookFor(turn, group, hello)
  if (isPutOff(turn, group, hello)) return
  const isStray = isOnlyOurs(turn.state, group)
  const peer = sender(turn, group, hello)
  learnEpoch(turn, group, epochIn(hello), speakerOf(hello))
  if (peer === undefined) return
  peer.helloReceivedAtMs = turn.now.monoMs
  peer.helloConfigEpoch = hello.configEpoch
  peer.helloMaster = { host: hello.masterHost, port: hello.masterPort }
  if (prevails(turn.state, group, hello)) adoptConfiguration(turn, group, peer, hello, isStray)
}

/**
 * Whether nothing but our own file speaks for the master: no failover has led to it, and the peers have all named
 * another one. A mistaken edit may name a server of somebody else.
 */
function isOnlyOurs(state: State, { configEpoch, config, peers }: Group): boolean {
  if (configEpoch > 0) return false
  const named = [...peers.values()].flatMap(({ helloMaster }) => helloMaster ?? [])
  return named.length > 0 && !named.some((one) => sameAddress(state, config, one))
}

/**
 * An honest config epoch has once been a current one; if the hello says otherwise, we take it at
 * its word.
 */
function epochIn({ currentEpoch, configEpoch }: Hello): number {
  return Math.max(currentEpoch, configEpoch)
}

/** Any client can publish a hello in any Sentinel's name. */
function speakerOf({ runId }: Hello): Speaker {
  return { door: 'hello', name: `Sentinel ${runId}`, peer: undefined }
}

/**
 * Whether we can believe its epoch. If not, we use nothing in the hello but the address, and ask the
 * Sentinel in whose name it was said, whose own answer is believed more.
 */
function isTimely(turn: Turn, group: Group, hello: Hello): boolean {
  if (isBelievable(turn, group, epochIn(hello), 'stranger')) return true
  learnEpoch(turn, group, epochIn(hello), speakerOf(hello))
  askForEpoch(turn, group, hello.runId)
  return false
}

/**
 * The address of a Sentinel that counts has nothing to do with epochs, and to ask it for its own epoch we
 * must find it: a stranger may have said that it has moved. We need not hold the hello for a host name:
 * the Sentinel will say hello again.
 */
function lookFor(turn: Turn, group: Group, hello: Hello): void {
  const known = group.peers.get(hello.runId)
  if (known === undefined) return
  if (known.host !== hello.host && isPuzzling(turn, hello.host)) return
  sender(turn, group, hello)
}

/**
 * Does the hello contain a new host name that is not resolved yet? Until then it is unknown whether
 * it contains any news.
 */
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
  // Several hellos may name a new master; the one that knows the newest failover counts.
  if (before === undefined || before.configEpoch <= hello.configEpoch) held?.set(hello.group, hello)
  return true
}

/** Undefined for a new peer whose address cannot be reached. */
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

/** A newer failover than any we know of has made this node the master. `isStray`: ours may be no node of the group. */
function adoptConfiguration(
  turn: Turn,
  group: Group,
  peer: Peer,
  hello: Hello,
  isStray: boolean,
): void {
  const to = namedMaster(turn.state, group, hello)
  if (to === undefined) {
    complainOfHost(turn, hello.masterHost, `new master of ${hello.group}`)
    return
  }
  group.configEpoch = hello.configEpoch
  const { config, master } = group
  const isKnown = sameAddress(turn.state, config, to)
  // In a failover of ours we already name the promoted replica: then even the old master is news.
  if (isKnown && currentMaster(group) === master) {
    overrule(turn, group)
    save(turn)
    return
  }
  announce(turn, '+config-update-from', peer)
  const from = followSwitch(turn, group, to, 'observer', isStray)
  if (!isStray) takeAlong(turn, group, from, to, 'observer')
}

/**
 * A node we know keeps the name we know it by. Undefined if there can be no node there: C Sentinel then
 * takes the epoch without the address, and tells all others that the old master is the newest.
 */
function namedMaster(state: State, group: Group, hello: Hello): Address | undefined {
  const host = usableHost(state, hello.masterHost)
  if (host === undefined) return undefined
  const named = { host, port: hello.masterPort }
  const known = dataInstancesOf(group).find((one) => sameAddress(state, one, named))
  return known === undefined ? named : { host: known.host, port: known.port }
}

/** An older failover of ours, without a promotion so far, would take the epoch back. */
function overrule(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover === undefined || failover.epoch >= group.configEpoch) return
  // A later leader has come before us.
  announce(turn, '-failover-abort-not-elected', group.master)
  discardFailover(turn, group)
}

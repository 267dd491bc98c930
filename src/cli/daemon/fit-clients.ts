/**
 * [maxclients, max-clients] A Sentinel and a proxy accept no more clients than the system has files for, as a data
 * node does: a client that is refused with an error learns why, and links to instances find a file.
 */
import type { ProxyFile } from '../../config/proxy-file.ts'
import type { SentinelFile } from '../../config/sentinel-file.ts'
import { loweredClients } from '../../io/process/file-limit.ts'

export interface Fitted<Kind> {
  readonly fitted: Kind
  /** For the log: limits that could not be kept. */
  readonly lowered: readonly string[]
}

/** A client of the proxy has a connection of its own to a data node. */
const FILES_OF_PROXIED = 2

/** `room`: what `clientRoom` says; undefined lowers nothing. */
export function fitProxy(proxy: ProxyFile, room: number | undefined): Fitted<ProxyFile> {
  const wanted = proxy.maxClients * FILES_OF_PROXIED
  return room === undefined || wanted <= room
    ? { fitted: proxy, lowered: [] }
    : lowerProxy(proxy, room / wanted)
}

/** With a proxy in the same process, both are lowered by the same factor. */
export function fitSentinel(file: SentinelFile, room: number | undefined): Fitted<SentinelFile> {
  const { core, proxy } = file
  const wanted = core.maxClients + FILES_OF_PROXIED * (proxy?.maxClients ?? 0)
  const left = room === undefined ? wanted : room - linkFiles(core.groups.length, room)
  if (wanted <= left) return { fitted: file, lowered: [] }
  const maxClients = atLeastOne((core.maxClients * left) / wanted)
  const proxied = proxy && lowerProxy(proxy, left / wanted)
  return {
    fitted: { ...file, core: { ...core, maxClients }, proxy: proxied?.fitted },
    lowered: [
      loweredClients('maxclients', maxClients, core.maxClients),
      ...(proxied?.lowered ?? []),
    ],
  }
}

function lowerProxy(proxy: ProxyFile, share: number): Fitted<ProxyFile> {
  const maxClients = atLeastOne(proxy.maxClients * share)
  const line = loweredClients('max-clients of the proxy', maxClients, proxy.maxClients)
  return { fitted: { ...proxy, maxClients }, lowered: [`${line}; each client takes two`] }
}

/** Two for a master and for each of two replicas, and one for each of four peers. */
const FILES_OF_A_GROUP = 10

/** Many groups leave at least half of the room to clients: most limits are far above what is used. */
function linkFiles(groups: number, room: number): number {
  return Math.min(groups * FILES_OF_A_GROUP, Math.floor(room / 2))
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count))
}

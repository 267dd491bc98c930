/** Asking Sentinels for all they know, beginning with those we were told of, and then their peers. */
import type { Redis } from 'ioredis'
import { reasonOf } from '../../io/start-error.ts'
import { type Access, connect, open } from './access.ts'
import {
  type Fields,
  type GroupView,
  hostAndPort,
  peersOf,
  type Remark,
  type SentinelView,
} from './view.ts'

/** More Sentinels than this nobody runs; a made-up list must not keep us for ever. */
const SENTINELS_MAX = 64

/** The views of all Sentinels that can be found, in the order they were found. */
export async function askAll(
  addresses: readonly string[],
  access: Access,
): Promise<readonly SentinelView[]> {
  const views: SentinelView[] = []
  const asked = new Set<string>()
  let next = [...addresses]
  while (next.length > 0) {
    for (const address of next) asked.add(address)
    const answers = await Promise.all(next.map((address) => askOne(address, access)))
    for (const view of answers) if (isNew(views, view)) views.push(view)
    next = [...new Set(answers.flatMap(peersOf))]
      .filter((address) => !asked.has(address))
      .slice(0, SENTINELS_MAX - asked.size)
  }
  return views
}

/** One Sentinel may be found under two addresses. */
function isNew(views: readonly SentinelView[], view: SentinelView): boolean {
  return view.myid === '' || views.every(({ myid }) => myid !== view.myid)
}

async function askOne(address: string, access: Access): Promise<SentinelView> {
  const client = connect(address, access)
  try {
    return await look(client, address)
  } catch (error) {
    const failure = explain(error)
    return { ...NOTHING, address, failure }
  } finally {
    client.disconnect()
  }
}

const NOTHING = { myid: '', program: '', isTilted: false, groups: [], remarks: [] } as const

/** What went wrong in the words of the kernel or of the other side. */
function explain(error: unknown): string {
  const reason = reasonOf(error)
  return /unknown command.*sentinel/i.test(reason) ? 'this is no Sentinel' : reason
}

async function look(client: Redis, address: string): Promise<SentinelView> {
  await open(client)
  const [myid, masters, info, extra] = await Promise.all([
    client.call('SENTINEL', 'MYID'),
    client.call('SENTINEL', 'MASTERS'),
    client.call('INFO'),
    client.call('INFO', 'vedette'),
  ])
  const facts = parseInfo(String(info))
  const groups = await Promise.all(toMaps(masters).map((master) => lookAt(client, master)))
  return {
    address,
    failure: undefined,
    myid: String(myid),
    program: programOf(facts, parseInfo(String(extra))),
    isTilted: facts.get('sentinel_tilt') === '1',
    groups,
    remarks: remarksIn(String(extra)),
  }
}

async function lookAt(client: Redis, master: Fields): Promise<GroupView> {
  const name = master.name ?? ''
  const [replicas, peers, address, quorum] = await Promise.all([
    client.call('SENTINEL', 'SLAVES', name),
    client.call('SENTINEL', 'SENTINELS', name),
    client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
    client.call('SENTINEL', 'CKQUORUM', name).catch((error: unknown) => reasonOf(error)),
  ])
  const [host = '?', port = '?'] = Array.isArray(address) ? address.map(String) : []
  return {
    name,
    address: hostAndPort(host, port),
    master,
    replicas: toMaps(replicas),
    peers: toMaps(peers),
    quorum: String(quorum),
  }
}

/** RESP2 gives a map as a flat list of names and values. */
function toMaps(reply: unknown): readonly Fields[] {
  return Array.isArray(reply) ? reply.map(toMap) : []
}

function toMap(reply: unknown): Fields {
  const words = Array.isArray(reply) ? reply.map(String) : []
  const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : []))
  return Object.fromEntries(pairs)
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const]
    }),
  )
}

function programOf(facts: ReadonlyMap<string, string>, extra: ReadonlyMap<string, string>): string {
  if (extra.has('vedette')) return 'vedette'
  const valkey = facts.get('valkey_version')
  return valkey === undefined ? `redis ${facts.get('redis_version') ?? '?'}` : `valkey ${valkey}`
}

/** `remark0:group=…,instance=…,text=…`: the text is last, because it may hold anything. */
function remarksIn(text: string): readonly Remark[] {
  return text.split('\r\n').flatMap((line) => {
    const match = /^remark\d+:group=([^,]*),instance=([^,]*),text=(.*)$/.exec(line)
    if (match === null) return []
    const [, group = '', instance = '', words = ''] = match
    return [{ group, instance, text: words }]
  })
}

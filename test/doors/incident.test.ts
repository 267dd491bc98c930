/** An incident of real processes, told from the records that their Sentinels hand out. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { ledgerName } from '../../src/server/ledger/ledger-file.ts'
import {
  type LedgerFacts,
  renderCounts,
  renderHeader,
} from '../../src/server/ledger/ledger-format.ts'
import { hexOf } from '../../src/server/ledger/ledger-numbers.ts'
import { Crc64 } from '../../src/server/rdb/crc64.ts'
import {
  agreedMaster,
  cli,
  MAIN,
  type RealCluster,
  run,
  startCluster,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Records are played, which takes a while on a busy machine. */
const vedette = (...argv: string[]) => run(process.execPath, [MAIN, ...argv], 40_000)

let cluster: RealCluster
let sentinel: string

beforeAll(async () => {
  cluster = await startCluster({
    ...{ downAfterMs: 500, nodeLines: ['black-box yes'] },
  })
  sentinel = `127.0.0.1:${cluster.sentinels[0]?.port}`
  // A journal is written a quarter of a second after something happened, and SIGKILL waits for nothing.
  await until('every node has written its journal', 10_000, () => journalFiles().length === 3)
  await cluster.nodes[0]?.kill()
  await agreedMaster(cluster)
  await until('the failover has ended', 10_000, () => announced().length > 0)
}, 60_000)

afterAll(() => cluster.stop())

function journalFiles(): readonly string[] {
  const names = readdirSync(cluster.folder, { recursive: true }).map(String)
  return names.filter((name) => /node-\d+\.blackbox\/\d+\.vbb$/.test(name))
}

/** The ids that the Sentinels wrote into their logs. */
function announced(): readonly string[] {
  const lines = cluster.sentinels.flatMap((one) => one.log().split('\n'))
  const ended = lines.filter((line) => line.includes('"event":"+failover-end"'))
  return ended.map((line) => JSON.parse(line).incident)
}

test('any one Sentinel leads to the records of all, which tell the failover under the id of the log', async () => {
  const told = await vedette('incident', '--sentinel', sentinel, '--json')
  expect(told).toMatchObject({ status: 0, stderr: '' })
  const { incidents, clocks, missing } = JSON.parse(told.stdout)
  expect(missing).toEqual([])
  expect(clocks).toHaveLength(3)
  const [{ ids, group, title, sentences }] = incidents
  expect(group).toBe('mymaster')
  expect(ids).toEqual([...new Set(announced())])
  expect(title).toMatch(/^mymaster: failover from 127\.0\.0\.1:\d+ to 127\.0\.0\.1:\d+$/)
  const text = sentences.map((one: { text: string }) => one.text).join('\n')
  for (const part of ['is the first to hold', 'is elected after', 'The Sentinels announce'])
    expect(text).toContain(part)
})

test('an incident is chosen by its id, its moment or its group; wrong questions are told how', async () => {
  const ask = (...words: string[]) => vedette('incident', '--sentinel', sentinel, ...words)
  const [id = ''] = announced()
  const page = join(scratchFolder('incident'), 'incident.html')
  const named = await ask('--group', 'mymaster', '--id', id, '--html', page)
  expect(named).toMatchObject({ status: 0, stderr: '' })
  expect(named.stdout).toContain(`, incident ${id}\n`)
  expect(readFileSync(page, 'utf8')).toContain('<html')
  expect((await ask('--at', new Date().toISOString())).status).toBe(0)
  const late = await ask('--since', '2999-01-01T00:00:00Z')
  expect(late).toMatchObject({ status: 1, stdout: '' })
  expect(late.stderr).toMatch(/the records of mymaster end before that time, at 20\d\d-/)
  const unknown = await ask('--id', 'mymaster-99')
  expect(unknown).toMatchObject({ status: 1, stdout: '' })
  expect(unknown.stderr).toContain(
    `there is no incident mymaster-99 in these records; the last ones are ${id}`,
  )
  const stranger = await ask('--group', 'other')
  expect(stranger).toMatchObject({ status: 2, stdout: '' })
  expect(stranger.stderr).toContain("no Sentinel that answers watches 'other'; they watch mymaster")
  expect(await ask('--last', '--id', id)).toMatchObject({ status: 2 })
  expect(await ask(page)).toMatchObject({ status: 2 })
  const nobody = await vedette('incident', '--sentinel', `127.0.0.1:${cluster.nodes[0]?.port}`)
  expect(nobody).toMatchObject({ status: 4, stdout: '' })
})

test('a bundle tells the same incident elsewhere; with pseudonyms no name of before is in it', async () => {
  const folder = scratchFolder('incident')
  const sentences = async (...words: string[]) => {
    const told = await vedette('incident', '--json', ...words)
    expect(told.status, told.stderr).toBe(0)
    const [incident] = JSON.parse(told.stdout).incidents
    return incident.sentences.map((one: { text: string }) => one.text)
  }
  const [plain, hidden] = [join(folder, 'plain.bundle'), join(folder, 'hidden.bundle')]
  const there = await sentences('--sentinel', sentinel, '--bundle', plain)
  expect(statSync(plain).mode & 0o777).toBe(0o600)
  expect(await sentences(plain)).toEqual(there)
  const again = await vedette('replay', plain)
  expect(again).toMatchObject({ status: 0, stderr: '' })
  expect(again.stdout).toContain('all the same when played again')
  expect(await sentences(plain, '--bundle', hidden, '--pseudonyms')).toEqual(there)
  expect((await vedette('replay', hidden)).status).toBe(0)
  const renamed = await sentences(hidden)
  expect(renamed.join('\n')).not.toContain('mymaster')
  // Loopback addresses stay, and ports.
  expect(renamed).toHaveLength(there.length)
  expect(await vedette('incident', plain, '--pseudonyms')).toMatchObject({ status: 2 })
  const mistyped = await vedette('incident', plain, '--group', 'mymastr')
  expect(mistyped).toMatchObject({ status: 2, stdout: '' })
  expect(mistyped.stderr).toContain(
    "no Sentinel of these records watches 'mymastr'; they watch mymaster",
  )
})

test('ledgers of all nodes are listed and fetched, and lost writes are part of the incident', async () => {
  const [, node] = cluster.nodes
  const facts: LedgerFacts = {
    ...{ node: `127.0.0.1:${node?.port}`, writtenAtMs: Date.now(), history: 'a'.repeat(40) },
    ...{ from: 1, to: 40, kept: 1, master: '127.0.0.1:1' },
    rule: 'exact',
    ...{ masterHistory: 'b'.repeat(40), masterOffset: 1 },
  }
  const body = `${renderHeader(facts)}${encodeCommand(['SET', 'lost', 'x'])}${renderCounts(1, 1)}`
  const crc = new Crc64()
  crc.update(body)
  const name = ledgerName(facts)
  writeFileSync(join(node?.folder ?? '', name), `${body}${hexOf(crc.digest())}\n`, 'latin1')
  const out = scratchFolder('ledgers')
  const ask = (...words: string[]) => vedette('ledger', ...words, '--sentinel', sentinel)
  const list = await ask('list')
  expect(list.stdout).toContain(name)
  // The master was killed.
  expect(list).toMatchObject({ status: 1 })
  expect(list.stderr).toContain(`vedette: no ledgers of 127.0.0.1:${cluster.nodes[0]?.port}: `)
  const fetched = await ask('fetch', '--out', out)
  expect(fetched.stdout).toContain(`${name}: 1 command on 1 key, from 127.0.0.1:${node?.port}`)
  expect((await vedette('ledger', 'show', join(out, name))).stdout).toContain('SET lost x')
  // As the node keeps it: it holds the values of writes.
  expect(statSync(join(out, name)).mode & 0o777).toBe(0o600)
  const asJson = JSON.parse((await ask('fetch', '--json', '--out', out)).stdout)
  expect(asJson).toMatchObject({
    group: 'mymaster',
    fetched: [
      { name, node: `127.0.0.1:${node?.port}`, path: join(out, name), commands: 1, keys: 1 },
    ],
    missing: [],
    silent: [{ node: `127.0.0.1:${cluster.nodes[0]?.port}` }],
  })
  const missing = await ask('fetch', 'lost-writes-00-1-1.ledger')
  expect(missing.stderr).toContain('no node of mymaster keeps a ledger lost-writes-00-1-1.ledger')
  const told = await vedette('incident', '--sentinel', sentinel)
  const [, typed = ''] = /has lost 1 write to 1 key; vedette (.*)/.exec(told.stdout) ?? []
  const again = await vedette(...typed.split(' '), '--out', scratchFolder('ledgers'))
  expect(again.stdout).toContain(`${name}: 1 command on 1 key`)
  const { incidents } = JSON.parse(
    (await vedette('incident', '--json', '--sentinel', sentinel)).stdout,
  )
  expect(incidents[0].lost).toMatchObject([{ ledger: name, commands: 1, keys: 1, rule: 'exact' }])
})

test('a ledger that has no room is named, and no part of it is left in its place', async () => {
  const [, node] = cluster.nodes
  const names = readdirSync(node?.folder ?? '').filter((name) => name.endsWith('.ledger'))
  const out = scratchFolder('ledgers')
  // A file may have no byte, as on a disk that is full; the signal for it would end the process.
  const words = `ledger fetch --sentinel ${sentinel} --out '${out}'`
  const shell = `trap '' XFSZ; ulimit -f 0; exec '${process.execPath}' '${MAIN}' ${words}`
  const { status, stderr } = await run('sh', ['-c', shell])
  expect(status).toBe(1)
  expect(stderr).toContain(`vedette: cannot write ${join(out, String(names[0]))}: EFBIG\n`)
  expect(stderr).toContain('with --out')
  expect(readdirSync(out)).toEqual([])
})

/** The records of all Sentinels and the journals of all nodes. */
function recordsOnDisk(): readonly string[] {
  const names = readdirSync(cluster.folder, { recursive: true }).map(String)
  return names
    .filter((name) => name.endsWith('.blackbox'))
    .map((name) => join(cluster.folder, name))
}

test('the nodes say what happened to them, beside what the Sentinels tell', async () => {
  const [master, ...replicas] = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`)
  const records = recordsOnDisk()
  expect(records).toHaveLength(6)
  const { status, stdout, stderr } = await vedette('incident', '--json', ...records)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { incidents, nodeClocks } = JSON.parse(stdout)
  expect(nodeClocks).toHaveLength(3)
  for (const { withinMs } of nodeClocks) expect(withinMs).toBeLessThan(500)
  const [{ nodesSay, from }] = incidents
  const said = (fact: string): { at: string; node: string; text: string }[] =>
    nodesSay.filter((one: { fact: string }) => one.fact === fact)
  // It was killed with SIGKILL: what its replicas say of it is the last word.
  expect(
    said('linkLost')
      .map(({ node }) => node)
      .sort(),
  ).toEqual([...replicas].sort())
  for (const { text } of said('linkLost')) expect(text).toContain(`lost the link to ${master}`)
  expect(said('master')).toHaveLength(1)
  expect(said('master')[0]?.text).toMatch(/^is a master now: REPLICAOF NO ONE from sentinel-/)
  expect(said('replica').map(({ node }) => node)).not.toContain(said('master')[0]?.node)
  // Both lose it at the moment at which the Sentinels do.
  for (const { at } of said('linkLost'))
    expect(Math.abs(Date.parse(at) - Date.parse(from))).toBeLessThan(1_000)
  const text = (await vedette('incident', ...records)).stdout
  expect(text).toContain(`says: has lost the link to ${master}`)
  expect(text).toMatch(
    /the clock of node [\d.:]+ \(run \w+\) .*, as its answers to the Sentinels show/,
  )
  // Over the wire, from those that still run.
  const wired = await vedette('incident', '--sentinel', sentinel, '--json')
  const { nodesWithoutJournal, incidents: fetched } = JSON.parse(wired.stdout)
  expect(nodesWithoutJournal).toMatchObject([{ node: master }])
  const lost = fetched[0].nodesSay.filter((one: { fact: string }) => one.fact === 'linkLost')
  expect(lost).toHaveLength(2)
  const shown = (await vedette('incident', '--sentinel', sentinel)).stdout
  expect(shown).toContain(`what ${master} says of itself is not known: `)
  const journals = records.filter((path) => path.includes('/node-'))
  const listed = await vedette('replay', '--events', ...journals)
  expect(listed).toMatchObject({ status: 0, stderr: '' })
  expect(listed.stdout).toContain('is ready as master, with 0 keys')
  const plain = await vedette('replay', ...journals)
  expect(plain.stdout).toContain('facts, nothing to play again')
})

test('what would have been: the incident is written as a scenario, and played with other settings', async () => {
  const scenario = join(scratchFolder('incident'), 'incident.yml')
  const words = ['--what-if', '--set', 'down-after=2s', '--seeds', '1..2', '--scenario', scenario]
  const told = await vedette('incident', '--sentinel', sentinel, '--json', ...words)
  const { whatIf } = JSON.parse(told.stdout)
  expect(whatIf.variants).toMatchObject([{ settings: {} }, { settings: { 'down-after': '2s' } }])
  expect(whatIf.realMs).toBeGreaterThan(0)
  expect(whatIf.strayed).toEqual(expect.any(Number))
  expect(readFileSync(scenario, 'utf8')).toContain('kill: n1')
  expect(await vedette('scenario', 'run', scenario)).toMatchObject({ status: 0 })
  const ask = (...more: string[]) => vedette('incident', '--sentinel', sentinel, ...more)
  const wrong = await ask('--what-if', '--seeds', '1..1', '--set', 'down-after=soon')
  expect(wrong).toMatchObject({ status: 2, stdout: '' })
  expect(wrong.stderr).toContain('down-after')
  expect(await ask('--set', 'down-after=2s')).toMatchObject({ status: 2 })
})

test('pieces over the wire are the files of the Sentinel', () => {
  const [one] = cluster.sentinels
  const port = one?.port ?? 0
  const name = cli(port, 'SENTINEL', 'BLACK-BOX', 'LIST').find((line) => line.endsWith('.vbb'))
  const head = cli(port, 'SENTINEL', 'BLACK-BOX', 'READ', name ?? '', '0', '18')
  expect(head).toEqual(['vedette-blackbox 5'])
})

test('a Sentinel that is down is named, and its part is told by the others', async () => {
  const [, , last] = cluster.sentinels
  await last?.kill()
  const told = await vedette('incident', '--sentinel', sentinel, '--json')
  expect(told.status).toBe(0)
  expect(told.stderr).toContain(`vedette: no record of 127.0.0.1:${last?.port}: `)
  const { incidents, missing } = JSON.parse(told.stdout)
  expect(missing).toMatchObject([{ sentinel: `127.0.0.1:${last?.port}` }])
  expect(incidents).toHaveLength(1)
  last?.start()
})

test('a Sentinel that was told to keep no record says so', async () => {
  const sentinelLines = ['black-box: no']
  const plain = await startCluster({ replicas: 0, sentinels: 1, quorum: 1, sentinelLines })
  const port = plain.sentinels[0]?.port
  const told = await vedette('incident', '--sentinel', `127.0.0.1:${port}`)
  await plain.stop()
  expect(told).toMatchObject({ status: 4, stdout: '' })
  expect(told.stderr).toContain(
    'this Sentinel keeps no record: its configuration says black-box: no',
  )
  expect(told.stderr).toContain('no Sentinel of mymaster sends a record')
})

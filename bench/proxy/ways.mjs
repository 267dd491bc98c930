/** The ways of an application to its master: our proxy, HAProxy with the recipe its users have, and a direct ioredis. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pathOf } from '../../scripts/paths.mjs'
import { until } from '../support/clock.mjs'
import { connectTo } from '../support/connection.mjs'
import { LOOPBACK } from '../support/host.mjs'
import { freePorts } from '../support/ports.mjs'
import { builtPath } from '../support/programs.mjs'

const GROUP = 'mymaster'
const READY_MS = 30_000

export const WAYS = [
  { id: 'proxy', title: 'vedette proxy', open: openProxy },
  { id: 'haproxy', title: 'HAProxy, redis-check', open: openHaproxy },
  { id: 'ioredis', title: 'ioredis, Sentinels', open: openDirect },
]

/** No way for an application, which would not be led to another master: the floor for a program on Node. */
export const FORWARDER = { id: 'forwarder', title: 'bare forwarder on Node', open: openForwarder }

async function openProxy(workshop, { name, sentinels }) {
  const [port] = await freePorts(1)
  const asked = sentinels.flatMap((one) => ['--sentinel', `${one.host.ip}:${one.port}`])
  const args = [
    builtPath('launch/vedette.cjs'),
    'proxy',
    ...asked,
    '--group',
    GROUP,
    '--port',
    `${port}`,
  ]
  const folder = workshop.createFolder(name)
  const member = workshop.spawn({ title: `proxy ${port}`, command: process.execPath, args, folder })
  return await led(member, port)
}

async function openHaproxy(workshop, { name, master, replicas, sentinels }) {
  const [port] = await freePorts(1)
  const folder = workshop.createFolder(name)
  const path = join(folder, 'haproxy.cfg')
  writeFileSync(path, configOf(port, [master, ...replicas], sentinels))
  const member = workshop.spawn({
    title: `haproxy ${port}`,
    command: 'haproxy',
    args: ['-f', path],
    folder,
  })
  return await led(member, port)
}

async function openForwarder(workshop, { name, master }) {
  const [port] = await freePorts(1)
  const folder = workshop.createFolder(name)
  const args = [pathOf('bench/proxy/forwarder.mjs'), `${port}`, `${master.port}`]
  const title = `forwarder ${port}`
  const member = workshop.spawn({ title, command: process.execPath, args, folder })
  return await led(member, port)
}

function openDirect(_workshop, { sentinels }) {
  const places = sentinels.map(({ host, port }) => ({ host: host.ip, port }))
  return {
    member: undefined,
    client: () =>
      new Redis({
        ...OPTIONS,
        sentinels: places,
        name: GROUP,
        failoverDetector: true,
        disconnectTimeout: 50,
      }),
  }
}

/** What an unanswered command was, the application decides: nothing is sent again behind its back. */
const OPTIONS = {
  maxRetriesPerRequest: null,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: false,
  retryStrategy: () => 50,
}

async function led(member, port) {
  const client = connectTo({ port, host: LOOPBACK })
  await until(`${member.title} leads to the master`, READY_MS, async () => {
    member.assertRunning()
    return (await client.set('ready', '1')) === 'OK'
  })
  client.disconnect()
  return { member, port, client: () => new Redis({ ...OPTIONS, host: '127.0.0.1', port }) }
}

function configOf(port, nodes, sentinels) {
  const ping = ['tcp-check connect', 'tcp-check send "PING\\r\\n"', 'tcp-check expect string +PONG']
  const quit = ['tcp-check send "QUIT\\r\\n"', 'tcp-check expect string +OK']
  const watchers = nodes.flatMap((node, at) => [
    `backend is_master_${at}`,
    ...['option tcp-check', ...ping],
    `tcp-check send "SENTINEL get-master-addr-by-name ${GROUP}\\r\\n"`,
    ...[`tcp-check expect string ${node.port}`, ...quit],
    ...sentinels.map(
      (one, number) => `server S${number} ${one.host.ip}:${one.port} check inter 1s fall 1 rise 1`,
    ),
  ])
  const check = 'check inter 1s fall 1 rise 1 on-marked-down shutdown-sessions'
  const servers = nodes.flatMap((node, at) => [
    `use-server R${at} if { srv_is_up(R${at}) } { nbsrv(is_master_${at}) ge 2 }`,
    `server R${at} ${node.host.ip}:${node.port} ${check}`,
  ])
  const lines = [
    ...['global', 'maxconn 5000', 'defaults', 'mode tcp', 'timeout connect 2s'],
    ...['timeout client 60s', 'timeout server 60s', 'timeout check 1s'],
    ...[`listen redis`, `bind 127.0.0.1:${port}`, 'option tcp-check', ...ping],
    ...['tcp-check send "info replication\\r\\n"', 'tcp-check expect string role:master', ...quit],
    ...[...servers, ...watchers],
  ]
  return `${lines.join('\n')}\n`
}

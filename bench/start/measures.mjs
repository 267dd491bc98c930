/** One start of one program, measured from outside: from before the process exists to what it does first. */
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsOf } from '../support/cpu.mjs'
import { freePorts, HOST } from '../support/ports.mjs'
import { configFor } from './contenders.mjs'

const RETRY_MS = 1
const BOUND_MS = 30_000
/** A daemon that has nothing kept writes it soon after its start. */
const KEEPING_MS = 1_500

/** Milliseconds until it listens and until it answers, and its processor time by then. `isFirst`: leave it time to keep its compiled code. */
export async function startDaemonOnce(workshop, contender, name, isFirst) {
  const folder = workshop.createFolder(name)
  const [port] = await freePorts(1)
  const { path, text } = configFor(contender.role, folder, port)
  writeFileSync(path, text)
  const values = contender.variables.map((variable) => `${variable}=${folder}`)
  const words = [...(values.length > 0 ? ['env', ...values] : []), ...contender.commandFor(path)]
  const [command, ...args] = words
  const startedMs = performance.now()
  const member = workshop.spawn({ title: contender.title, folder, command, args })
  try {
    const socket = await connected(member, port, startedMs)
    const listensMs = performance.now() - startedMs
    await answer(socket)
    const answersMs = performance.now() - startedMs
    const cpuMs = cpuMsOf(member.child.pid)
    if (isFirst) await sleep(KEEPING_MS)
    return { listensMs, answersMs, cpuMs }
  } finally {
    await workshop.end([member])
  }
}

/** Milliseconds until it has ended. */
export async function runToEnd(workshop, { title, command }, name) {
  const folder = workshop.createFolder(name)
  const [program, ...args] = command()
  const startedMs = performance.now()
  const member = workshop.spawn({ title, folder, command: program, args })
  const ended = new Promise((resolve) => member.child.once('exit', resolve))
  await ended
  const endsMs = performance.now() - startedMs
  await member.finished(BOUND_MS)
  return { endsMs }
}

async function connected(member, port, startedMs) {
  while (performance.now() - startedMs < BOUND_MS) {
    const socket = await tryToConnect(port)
    if (socket !== undefined) return socket
    member.assertRunning()
    await sleep(RETRY_MS)
  }
  throw new Error(`${member.title} does not listen after ${BOUND_MS} ms`)
}

function tryToConnect(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST)
    socket.once('error', () => resolve(undefined))
    socket.once('connect', () => resolve(socket))
  })
}

/** Any answer will do: a Sentinel and a node say PONG. */
function answer(socket) {
  return new Promise((resolve, reject) => {
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
    socket.once('close', () => reject(new Error('the connection was closed before an answer')))
    socket.write('PING\r\n')
  })
}

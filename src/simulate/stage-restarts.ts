/**
 * Processes that die and come back. A node's own redis.conf decides what it still has then: the
 * simulated nodes keep files as it says, and a power cut takes from the disks what they did not have to
 * sync.
 */
import { durationWord } from '../fuzz/words.ts'
import { residentsOf, type SimulatedCluster } from './cluster.ts'
import type { Incident } from './incident.ts'
import type { Act, IncidentEffect } from './incident-effects.ts'

/** A supervisor starts the process again. The system keeps what it was told to write. */
export function restart(names: readonly string[], { atMs, forMs }: Incident): Act {
  const untilMs = atMs + (forMs[0] ?? 0)
  return {
    text: `Master ${names.join(', ')} crashes and is back after ${durationWord(untilMs - atMs)}.`,
    steps: [
      { atMs, words: { kill: names } },
      { atMs: untilMs, words: { restart: names } },
    ],
    effects: [awayFor(names, atMs, untilMs)],
  }
}

/** These boxes lose power together; it returns for all of them, and they start one after another. */
export function outage(
  boxes: readonly string[],
  incident: Incident,
  cluster: SimulatedCluster,
): Act {
  const { atMs, forMs, gapMs } = incident
  const lengthMs = forMs[0] ?? 0
  const strideMs = Math.floor((gapMs[0] ?? 0) / boxes.length)
  const comers = boxes.map((box, index) => ({
    processes: servicesOf(cluster, box),
    untilMs: atMs + lengthMs + index * strideMs,
  }))
  const names = comers.flatMap(({ processes }) => processes)
  const lost = `${boxes.join(', ')} lose power, and with it ${names.join(', ')}`
  const text = `${boxes.length === 1 ? lost.replace(' lose ', ' loses ') : lost}`
  return {
    text: `${text}; it is back after ${durationWord(lengthMs)}.`,
    steps: [
      { atMs, words: { 'power-loss': boxes } },
      ...comers.map(({ processes, untilMs }) => ({
        atMs: untilMs,
        words: { restart: processes },
      })),
    ],
    effects: comers.map(({ processes, untilMs }) => awayFor(processes, atMs, untilMs)),
  }
}

/** No supervisor starts clients. */
function servicesOf(cluster: SimulatedCluster, box: string): readonly string[] {
  const clients = new Set(cluster.clients.map(({ name }) => name))
  return residentsOf(cluster, box).filter((name) => !clients.has(name))
}

function awayFor(processes: readonly string[], fromMs: number, untilMs: number): IncidentEffect {
  return { kind: 'down', processes, fromMs, untilMs, isSteady: true, isRestart: true }
}

import { describe, expect, test } from 'vitest'
import type { Effect } from '../../../src/core/effect.ts'
import { announce, logQuietly } from '../../../src/core/events.ts'
import { save } from '../../../src/core/persistence/save.ts'
import {
  enqueueScript,
  MAX_QUEUED_SCRIPTS,
  MAX_RUNNING_SCRIPTS,
  scheduleScripts,
} from '../../../src/core/scripts/script-queue.ts'
import {
  onScriptDeadline,
  onScriptEnded,
  onScriptNotStarted,
  onScriptStarted,
} from '../../../src/core/scripts/scripts.ts'
import { step } from '../../../src/core/step.ts'
import { MYMASTER, TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulk, wireBulks } from '../../support/wire.ts'

const MINUTE_MS = 60_000

/** A Sentinel whose scripts are run by the test: it says when they start and how they end. */
class Bench {
  readonly sentinel: TestSentinel

  constructor(sentinel = new TestSentinel()) {
    this.sentinel = sentinel
  }

  call(...argv: string[]): void {
    this.sentinel.run((turn) => enqueueScript(turn, argv))
  }

  /** What has been asked for since the last look, with the job in front. */
  ran(): string[] {
    return this.#took('runScript').map(({ job, argv }) => `${job} ${argv.join(' ')}`)
  }

  killed(): number[] {
    return this.#took('killScript').map(({ job }) => job)
  }

  /** Lines of the log, which every event is in. */
  logged(): string[] {
    return this.#took('log').map(({ text }) => text)
  }

  started(job: number, pid = 1000 + job): void {
    this.sentinel.run((turn) => onScriptStarted(turn, job, pid))
  }

  ended(job: number, status: number, signal = 0): void {
    this.sentinel.run((turn) => onScriptEnded(turn, job, { status, signal }))
  }

  failed(job: number, failed: 'fork' | 'exec', reason: string): void {
    this.sentinel.run((turn) => onScriptNotStarted(turn, job, failed, reason))
  }

  /** Time passes; the machine is woken for its scripts alone, at the moments it has asked for. */
  pass(ms: number): void {
    const { state } = this.sentinel
    const endMs = this.sentinel.now.monoMs + ms
    for (;;) {
      const atMs = state.tilt.deadlines.get('scripts')?.atMs ?? Number.POSITIVE_INFINITY
      if (atMs > endMs) break
      this.sentinel.advance(atMs - this.sentinel.now.monoMs)
      state.timers.clear(state.tilt, 'scripts')
      this.sentinel.run(onScriptDeadline)
    }
    this.sentinel.advance(endMs - this.sentinel.now.monoMs)
  }

  /** Runs the job until it is not run again, with the same end each time; gives the delays in seconds. */
  delaysOf(job: number, status: number, signal = 0): number[] {
    const delays = []
    for (let round = 0; round < 20; round++) {
      this.started(job)
      this.ended(job, status, signal)
      const atMs = this.sentinel.state.tilt.deadlines.get('scripts')?.atMs
      if (atMs === undefined) return delays
      delays.push((atMs - this.sentinel.now.monoMs) / 1000)
      this.pass(atMs - this.sentinel.now.monoMs)
    }
    throw new Error('it is run for ever')
  }

  #took<Kind extends Effect['kind']>(kind: Kind): Extract<Effect, { kind: Kind }>[] {
    const { effects } = this.sentinel
    const isMeant = (one: Effect): one is Extract<Effect, { kind: Kind }> => one.kind === kind
    const taken = effects.filter(isMeant)
    const rest = effects.filter((one) => !isMeant(one))
    effects.splice(0, effects.length, ...rest)
    return taken
  }
}

/** Two groups with notification scripts of their own, and a third without. */
function notifying(): Bench {
  const groups = [
    { ...MYMASTER, notificationScript: '/a' },
    { ...MYMASTER, name: 'b', port: 6380, notificationScript: '/b' },
    { ...MYMASTER, name: 'c', port: 6381 },
  ]
  const sentinel = new TestSentinel({ groups })
  sentinel.state.scripts.jobs.clear()
  return new Bench(sentinel)
}

function group(bench: Bench, name: string) {
  const found = bench.sentinel.state.groups.get(name)
  if (found === undefined) throw new Error(`no group ${name}`)
  return found
}

describe('who is notified', () => {
  test('a warning runs the script of its own group, with the event and its payload', () => {
    const bench = notifying()
    bench.sentinel.run((turn) => {
      announce(turn, '+sdown', group(bench, 'b').master)
      announce(turn, '+new-epoch', group(bench, 'mymaster'), { epoch: 7 })
      announce(turn, '+sdown', group(bench, 'c').master)
    })
    const calls = bench.ran().map((line) => line.replace(/^\d+ /, ''))
    expect(calls).toEqual(['/b +sdown master b 10.0.0.1 6380', '/a +new-epoch 7'])
  })

  test('what is no warning runs no script', () => {
    const bench = notifying()
    const { master } = group(bench, 'b')
    bench.sentinel.run((turn) => {
      announce(turn, '+reboot', master)
      announce(turn, '-role-change', master, { role: 'slave' })
      logQuietly(turn, '+sdown', master)
    })
    expect(bench.ran()).toEqual([])
  })

  test('a warning of no group runs no script', () => {
    const bench = notifying()
    bench.sentinel.run((turn) => announce(turn, '+tilt', undefined))
    expect(bench.ran()).toEqual([])
  })

  test('that a script failed or was killed runs no script', () => {
    const bench = notifying()
    bench.call('/bad')
    bench.call('/slow')
    const [bad, slow] = [...bench.sentinel.state.scripts.jobs.keys()] as [number, number]
    bench.ran()
    bench.started(bad)
    bench.started(slow)
    bench.ended(bad, 3)
    bench.pass(MINUTE_MS + 1)
    expect(bench.logged()).toEqual(expect.arrayContaining(['-script-error /bad 0 3']))
    expect(bench.killed()).toEqual([slow])
    expect(bench.ran()).toEqual([])
  })

  test('an endless payload is cut to 1023 bytes, so that the queue stays small', () => {
    const bench = notifying()
    const { master } = group(bench, 'b')
    bench.sentinel.run((turn) =>
      announce(turn, '+set', master, {
        option: 'down-after-milliseconds',
        value: '9'.repeat(9_000),
      }),
    )
    const [line = ''] = bench.ran()
    expect(line.replace(/^\d+ .b .set /, '')).toHaveLength(1_023)
  })

  test('a call keeps the script and the words it was made with, whatever SET changes', () => {
    const bench = notifying()
    const b = group(bench, 'b')
    bench.sentinel.state.scripts.pausedUntilMs = bench.sentinel.now.monoMs + 50
    bench.sentinel.run((turn) => announce(turn, '+sdown', b.master))
    b.config = { ...b.config, notificationScript: '/new' }
    bench.pass(50)
    expect(bench.ran()).toEqual([expect.stringMatching(/^\d+ \/b \+sdown master b/)])
  })

  test('events for debugging are in the log and told to no subscriber', () => {
    const bench = new Bench()
    const listener = bench.sentinel.connect()
    listener.ask('PSUBSCRIBE *')
    bench.call('/s')
    bench.started(1, 4711)
    bench.ended(1, 0)
    expect(bench.logged()).toEqual(['+script-child 4711', '-script-child 4711 0 0'])
    expect(listener.read()).toBe('')
  })
})

describe('the queue', () => {
  test('sixteen scripts run at once, and the next when one of them ends', () => {
    const bench = new Bench()
    for (let call = 1; call <= 18; call++) bench.call('/s', String(call))
    expect(bench.ran()).toHaveLength(MAX_RUNNING_SCRIPTS)
    bench.started(9)
    bench.ended(9, 0)
    expect(bench.ran()).toEqual(['17 /s 17'])
    bench.started(17)
    bench.ended(17, 0)
    expect(bench.ran()).toEqual(['18 /s 18'])
    expect(MAX_RUNNING_SCRIPTS).toBe(16)
  })

  test('the oldest that waits goes when the 257th comes, and the log says so', () => {
    const bench = new Bench()
    for (let call = 1; call <= 256; call++) bench.call('/s', String(call))
    expect(bench.logged()).toEqual([])
    bench.call('/s', '257')
    const { jobs } = bench.sentinel.state.scripts
    expect(jobs.size).toBe(MAX_QUEUED_SCRIPTS)
    expect([...jobs.keys()].slice(14, 18)).toEqual([15, 16, 18, 19])
    expect([...jobs.keys()].at(-1)).toBe(257)
    expect(bench.logged()).toEqual([
      'too many scripts wait: the oldest is dropped and not run: /s 17',
    ])
  })

  test('a script that waits for its second try keeps its place, and others pass it', () => {
    const bench = new Bench()
    bench.call('/first')
    bench.started(1)
    bench.ended(1, 1)
    bench.call('/second')
    expect(bench.ran()).toEqual(['1 /first', '2 /second'])
    expect([...bench.sentinel.state.scripts.jobs.keys()]).toEqual([1, 2])
  })

  test('a Sentinel that stops starts no further script', () => {
    const bench = new Bench()
    for (let call = 1; call <= 17; call++) bench.call('/s')
    bench.started(1)
    bench.ran()
    bench.sentinel.state.stopping = true
    bench.call('/s')
    bench.ended(1, 0)
    bench.pass(MINUTE_MS)
    expect(bench.ran()).toEqual([])
  })

  test('a script is run although what stands before it could not be saved', () => {
    const bench = new Bench()
    bench.sentinel.savesFail = true
    bench.sentinel.run((turn) => {
      save(turn)
      enqueueScript(turn, ['/s'])
    })
    expect(bench.ran()).toEqual(['1 /s'])
  })
})

describe('how a script ends', () => {
  const FAILURES = [
    ['that exits with 1', 1, 0, '-script-error /s 0 1'],
    ['ended by a signal', 0, 15, '-script-error /s 15 0'],
  ] as const

  test.each(FAILURES)('a script %s is run ten times, with doubling delays', (_, status, signal) => {
    const bench = new Bench()
    bench.call('/s', 'word')
    const delays = bench.delaysOf(1, status, signal)
    expect(delays).toEqual([30, 60, 120, 240, 480, 960, 1920, 3840, 7680])
    expect(bench.ran()).toEqual(Array.from({ length: 10 }, () => '1 /s word'))
    expect(bench.sentinel.state.scripts.jobs.size).toBe(0)
  })

  test.each(FAILURES)('a script %s is an error only once', (_, status, signal, error) => {
    const bench = new Bench()
    bench.call('/s', 'word')
    bench.delaysOf(1, status, signal)
    const errors = bench.logged().filter((line) => line.startsWith('-script-error'))
    expect(errors).toEqual([error])
  })

  test.each([2, 3, 255])('a script that exits with %d is an error and not run again', (status) => {
    const bench = new Bench()
    bench.call('/s')
    expect(bench.delaysOf(1, status)).toEqual([])
    expect(bench.logged()).toContain(`-script-error /s 0 ${status}`)
    expect(bench.sentinel.state.scripts.jobs.size).toBe(0)
  })

  test('a script that succeeds in its second try is no error', () => {
    const bench = new Bench()
    bench.call('/s')
    bench.started(1)
    bench.ended(1, 1)
    bench.pass(30_000)
    bench.started(1)
    bench.ended(1, 0)
    expect(bench.logged().filter((line) => line.startsWith('-script-error'))).toEqual([])
    expect(bench.sentinel.state.scripts.jobs.size).toBe(0)
  })

  test('an error is published, without the signal of its group', () => {
    const bench = new Bench()
    const listener = bench.sentinel.connect()
    listener.ask('SUBSCRIBE -script-error')
    bench.call('/s')
    bench.started(1)
    bench.ended(1, 5)
    expect(listener.read()).toContain(wireBulk('/s 0 5'))
  })

  test('the delay is the one of the moment at which it failed', () => {
    const bench = new Bench()
    setPeriods(bench, { scriptRetryDelayMs: 100 })
    bench.call('/s')
    expect(bench.delaysOf(1, 1).slice(0, 3)).toEqual([0.1, 0.2, 0.4])
  })
})

describe('a script that takes too long', () => {
  function slow(): Bench {
    const bench = new Bench()
    bench.call('/slow')
    bench.pass(500)
    bench.started(1, 77)
    bench.logged()
    return bench
  }

  test('is killed after more than a minute, counted from when its process began', () => {
    const bench = slow()
    bench.pass(MINUTE_MS)
    expect(bench.killed()).toEqual([])
    bench.pass(1)
    expect(bench.killed()).toEqual([1])
    expect(bench.logged()).toEqual(['-script-timeout /slow 77'])
  })

  test('is not killed before its process has begun, however long that takes', () => {
    const bench = new Bench()
    bench.call('/script')
    bench.pass(10 * MINUTE_MS)
    expect(bench.killed()).toEqual([])
  })

  test('is killed and told of once, however long its end takes', () => {
    const bench = slow()
    bench.pass(10 * MINUTE_MS)
    expect(bench.killed()).toEqual([1])
    expect(bench.logged()).toHaveLength(1)
  })

  test('is run again like one that a signal ended', () => {
    const bench = slow()
    bench.ran()
    bench.pass(MINUTE_MS + 1)
    bench.ended(1, 0, 9)
    bench.pass(29_999)
    expect(bench.ran()).toEqual([])
    bench.pass(1)
    expect(bench.ran()).toEqual(['1 /slow'])
  })

  test('is killed in TILT, too, and by nothing but being woken', () => {
    const { state, now } = slow().sentinel
    const later = { monoMs: now.monoMs + MINUTE_MS + 1, wallMs: now.wallMs + MINUTE_MS + 1 }
    const effects = step(state, later, { kind: 'wake' })
    expect(state.tilt.sinceMs).toBe(later.monoMs)
    expect(effects).toContainEqual({ kind: 'killScript', job: 1 })
  })

  test('is measured by a period that has become shorter meanwhile', () => {
    const bench = slow()
    bench.pass(1_000)
    setPeriods(bench, { scriptMaxRuntimeMs: 2_000 })
    bench.sentinel.run(scheduleScripts)
    bench.pass(1_001)
    expect(bench.killed()).toEqual([1])
  })
})

describe('a script that cannot be run', () => {
  test('because there is no program at its path fails as with status 2, and the log says why', () => {
    const bench = new Bench()
    bench.call('/gone')
    bench.failed(1, 'exec', 'ENOENT')
    expect(bench.logged()).toEqual(['cannot run /gone: ENOENT', '-script-error /gone 0 2'])
    expect(bench.sentinel.state.scripts.jobs.size).toBe(0)
  })

  test('because there is no process for it stays, and nothing is run for a moment', () => {
    const bench = new Bench()
    bench.call('/s')
    bench.failed(1, 'fork', 'EAGAIN')
    expect(bench.logged()).toEqual(['cannot run /s: EAGAIN', '-script-error /s 99 0'])
    bench.call('/other')
    bench.pass(99)
    expect(bench.ran()).toEqual(['1 /s'])
    bench.pass(1)
    expect(bench.ran()).toEqual(['1 /s', '2 /other'])
  })

  test('for want of a process has not been tried: it still has all its ten tries', () => {
    const bench = new Bench()
    bench.call('/s')
    for (let round = 0; round < 12; round++) {
      bench.failed(1, 'fork', 'EAGAIN')
      bench.pass(100)
    }
    expect(bench.delaysOf(1, 1)).toHaveLength(9)
  })
})

describe('what an operator sees', () => {
  test('PENDING-SCRIPTS shows what runs and what waits', () => {
    const bench = new Bench()
    bench.call('/runs', '+sdown', 'a b')
    bench.call('/again')
    bench.started(1, 4711)
    bench.started(2)
    bench.ended(2, 1)
    bench.pass(250)
    const answer = bench.sentinel.connect().ask('SENTINEL PENDING-SCRIPTS')
    const running = ['flags', 'running', 'pid', '4711', 'run-time', '250', 'retry-num', '1']
    const waiting = ['flags', 'scheduled', 'pid', '0', 'run-delay', '29750', 'retry-num', '1']
    expect(answer).toBe(
      `*2\r\n${entry(['/runs', '+sdown', 'a b'], running)}${entry(['/again'], waiting)}`,
    )
  })

  test('a call that waits for room has no delay and no execution yet', () => {
    const bench = new Bench()
    for (let call = 0; call < 17; call++) bench.call('/s')
    const answer = bench.sentinel.connect().ask('SENTINEL PENDING-SCRIPTS')
    const waiting = ['flags', 'scheduled', 'pid', '0', 'run-delay', '0', 'retry-num', '0']
    expect(answer.endsWith(entry(['/s'], waiting))).toBe(true)
  })

  test('an entry is a map of five to a client that knows maps', () => {
    const bench = new Bench()
    bench.call('/s')
    const client = bench.sentinel.connect()
    client.ask('HELLO 3')
    expect(client.ask('SENTINEL PENDING-SCRIPTS')).toMatch(/^\*1\r\n%5\r\n\$4\r\nargv\r\n\*1\r\n/)
  })

  test('INFO counts what runs, and all there is', () => {
    const bench = new Bench()
    for (let call = 0; call < 18; call++) bench.call('/s')
    const info = bench.sentinel.connect().ask('INFO sentinel')
    expect(info).toContain('sentinel_running_scripts:16\r\nsentinel_scripts_queue_length:18\r\n')
  })
})

function entry(argv: string[], fields: string[]): string {
  return `*10\r\n${wireBulk('argv')}${wireBulks(...argv)}${fields.map(wireBulk).join('')}`
}

function setPeriods(
  { sentinel: { state } }: Bench,
  periods: Partial<typeof state.config.periods>,
): void {
  state.config = { ...state.config, periods: { ...state.config.periods, ...periods } }
}

/**
 * The heap of this process: where it ends, how full it is, and how much of that was not garbage at the last
 * collection. The limit is set when the process starts (`--max-old-space-size`, or by Node from the memory of
 * the machine or container) and cannot be moved afterwards. Beyond it the engine ends the process.
 *
 * The engine would also end it earlier, after spending more time on collections than on work four times in a
 * row. The code that reads this meter keeps away from that point, and a slow process is better than none, so
 * that rule is switched off.
 */
import { totalmem } from 'node:os'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { HeapMeter, HeapReading } from '../../server/port.ts'
import { setEngineFlag } from './engine-flags.ts'
import { onceStarted } from './once-started.ts'

const GIVE_UP = 'detect-ineffective-gcs-near-heap-limit'
const MIB = 1024 * 1024
/** The engine adds this to its limit: three semi-spaces of the young generation. */
const YOUNG_BYTES = 3 * 16 * MIB
/**
 * What a container holds besides: the program, its stacks, and what the allocator does not give
 * back.
 */
const BESIDES_BYTES = 64 * MIB
/**
 * The system ends a process at the limit of its container, and counts pages. Those of a heap that is in use
 * throughout are up to a third more than what is used of them.
 */
const CONTAINER_SHARE = 2 / 3

interface GarbageDetail {
  readonly kind: number
}

export class V8HeapMeter implements HeapMeter {
  readonly limitBytes: number
  /** Memory outside the heap counts too: the container, not the engine, is the limit. */
  readonly #isBoundFromOutside: boolean
  #collectGarbage: (() => void) | undefined
  #collectedBytes: number
  #collections = 0

  constructor() {
    this.limitBytes = heapLimit()
    this.#isBoundFromOutside = this.limitBytes < engineLimit()
    this.#collectedBytes = this.#used()
    setEngineFlag(`--no-${GIVE_UP}`, `--${GIVE_UP}`)
    // Makes a global object, which takes milliseconds and memory: neither before the node listens nor when
    // memory is short.
    onceStarted(() => this.#collector())
    new PerformanceObserver((list) => {
      if (list.getEntries().some(isOfWholeHeap)) this.#collected()
    }).observe({ entryTypes: ['gc'] })
  }

  read(): HeapReading {
    return {
      usedBytes: this.#used(),
      limitBytes: this.limitBytes,
      collectedBytes: this.#collectedBytes,
      collections: this.#collections,
    }
  }

  #collector(): () => void {
    this.#collectGarbage ??= shownCollector()
    return this.#collectGarbage
  }

  collect(): number {
    const startMs = performance.now()
    this.#collector()()
    this.#collected()
    return performance.now() - startMs
  }

  #collected(): void {
    this.#collections++
    this.#collectedBytes = this.#used()
  }

  #used(): number {
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
    return this.#isBoundFromOutside ? heap + external : heap
  }
}

/**
 * Node shows it to a program only if asked on its command line; a new global object has it. Bun, whose engine is
 * not V8, has none to show there and collects in its own time.
 */
export function shownCollector(evaluate: (code: string) => unknown = runInNewContext): () => void {
  setFlagsFromString('--expose-gc')
  const shown = evaluate("typeof gc === 'function' ? gc : undefined")
  setFlagsFromString('--no-expose-gc')
  return typeof shown === 'function' ? () => shown() : () => undefined
}

/** What a process that is started here can have. */
export interface ProcessMemory {
  readonly heapBytes: number
  /** The limit of the container; undefined: there is none below the memory of the machine. */
  readonly containerBytes: number | undefined
}

export function processMemory(): ProcessMemory {
  const container = containerLimit()
  return {
    heapBytes: heapLimit(),
    containerBytes: Number.isFinite(container) ? container : undefined,
  }
}

/** How much memory this process can have, in bytes. */
export function heapLimit(): number {
  const inContainer = Math.floor(containerLimit() * CONTAINER_SHARE)
  return Math.min(engineLimit(), memoryLimit() - BESIDES_BYTES, inContainer)
}

function engineLimit(): number {
  return getHeapStatistics().heap_size_limit - youngBytes()
}

/** The memory of the container, or of the machine. */
function memoryLimit(): number {
  return Math.min(containerLimit(), totalmem())
}

/** Infinite: there is none below the memory of the machine. */
function containerLimit(): number {
  // Without a container it is 0, or more than any machine has.
  const constrained = process.constrainedMemory?.() ?? 0
  return constrained > 0 && constrained < totalmem() ? constrained : Number.POSITIVE_INFINITY
}

/** As the user set it, or as the engine chooses. */
function youngBytes(): number {
  const words = `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`
  const [, given] = /--max[-_]semi[-_]space[-_]size=(\d+)/.exec(words) ?? []
  return given === undefined ? YOUNG_BYTES : 3 * Number(given) * MIB
}

function isOfWholeHeap(entry: PerformanceEntry): boolean {
  const { kind } = (entry as PerformanceEntry & { detail: GarbageDetail }).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

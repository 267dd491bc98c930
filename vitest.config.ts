import { defineConfig } from 'vitest/config'

// What all projects share. A run has a temporary folder of its own, which has to be empty at its end.
const COMMON = {
  globalSetup: './test/support/run-folder.ts',
  setupFiles: './test/support/setup.ts',
  pool: 'forks',
} as const

// Files of one worker share what they import, since loading the same modules again for each was more than
// half the time of a run: so no test of these projects may change what a module keeps.
const SHARED = { ...COMMON, isolate: false } as const

/** Their bounds are claims about how soon something happens. */
const MEASURING = ['test/net/failover.test.ts']

// `fast` is the machines on virtual time: no socket, no sleep. `net` is real processes, a few files at a
// time, because they mostly wait; it begins when `fast` is over, which leaves no processor to others.
// `alone` measures real processes to the millisecond, and has the machine to itself.
// `lab` is the laboratory's worlds on real sockets and processes, which take minutes: `npm run test:lab`.
// `peers` is groups of our programs and Redis' own, which have to wait for C Sentinel's periods, and
// crashes in the middle of failovers: `npm run test:net`.
// `doors` is what operators use beside the programs (HAProxy, Prometheus, a browser), and commands of ours that need a
// while with real clusters: `npm run test:doors`.
// `attack` is adversaries, stalls and full heaps against real processes: `npm run test:attack`.
export default defineConfig({
  test: {
    reporters: ['default', './scripts/all-skipped-reporter.mjs'],
    projects: [
      {
        test: {
          ...SHARED,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/net/**',
            'test/diff/**',
            'test/lab/**',
            'test/peers/**',
            'test/attack/**',
            'test/doors/**',
          ],
          // Texts are compared without colours, which CI would have. Looked up when a module loads.
          env: { NO_COLOR: '1' },
          // By default one processor is kept free.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          // They only compute: how long that takes says how busy the machine is. The bound ends what
          // would never end by itself.
          testTimeout: process.env.VEDETTE_LONG ? 900_000 : 120_000,
        },
      },
      {
        test: {
          ...SHARED,
          name: 'net',
          include: ['test/net/**/*.test.ts', 'test/diff/**/*.test.ts'],
          exclude: MEASURING,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          // Real processes on a machine that may be busy with something else just then.
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'alone',
          include: MEASURING,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'peers',
          include: ['test/peers/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          // C Sentinels split votes and undo promotions by chance. What fails three times is our fault.
          retry: 2,
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
          // Real processes on a machine that may be busy with something else just then.
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'attack',
          include: ['test/attack/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 5 },
          // Real processes on a machine that may be busy with something else just then.
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'doors',
          include: ['test/doors/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 6 },
          // Real processes on a machine that may be busy with something else just then.
          retry: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

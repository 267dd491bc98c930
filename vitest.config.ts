import { defineConfig } from 'vitest/config'

// `fast` is the machines on virtual time: no socket, no sleep. `net` is real processes, one file at a
// time, so that a slow machine does not turn one test's load into another test's time-out. `lab` is the
// laboratory's worlds on real sockets and processes, which take minutes: `npm run test:lab`. `peers` is
// groups of our programs and Redis' own, which have to wait for C Sentinel's periods: `npm run test:net`.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/net/**', 'test/diff/**', 'test/lab/**', 'test/peers/**'],
        },
      },
      {
        test: {
          name: 'net',
          include: ['test/net/**/*.test.ts', 'test/diff/**/*.test.ts'],
          fileParallelism: false,
          // Real processes on a machine that may be busy with something else just then.
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'peers',
          include: ['test/peers/**/*.test.ts'],
          fileParallelism: false,
          // C Sentinels split votes and undo promotions by chance. What fails three times is our fault.
          retry: 2,
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})

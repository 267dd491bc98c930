import type { Cluster } from './api.ts'
import type { StartClusterOptions } from './start-options.ts'

/** A test of Jest that gets a cluster. */
export interface JestClusterTest {
  (name: string, run: JestClusterBody, timeoutMs?: number): void
  only(name: string, run: JestClusterBody, timeoutMs?: number): void
  skip(name: string, run: JestClusterBody, timeoutMs?: number): void
}

export type JestClusterBody = (fixture: { readonly cluster: Cluster }) => unknown

/** What Jest puts into the global object, or what `@jest/globals` exports. */
export interface JestGlobals {
  readonly test: JestTest
  readonly afterEach: (run: () => void) => void
  readonly beforeAll: (run: () => Promise<void>, timeoutMs?: number) => void
  readonly afterAll: (run: () => Promise<void>, timeoutMs?: number) => void
  readonly expect: { getState(): JestState }
}

/** Which test runs, as Jest says. */
export interface JestState {
  readonly testPath?: string | undefined
  /** With the names of the groups around it. */
  readonly currentTestName?: string | undefined
}

/** How Jest declares a test. */
export type JestDeclare = (name: string, run: () => Promise<void>, timeoutMs?: number) => void
export type JestTest = JestDeclare & { readonly only: JestDeclare; readonly skip: JestDeclare }

export interface JestClusterOptions extends StartClusterOptions {
  /** `require('@jest/globals')`, where the configuration says `injectGlobals: false`. */
  readonly globals?: JestGlobals | undefined
}

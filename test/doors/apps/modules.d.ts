// What is used here of packages that bring no types.

declare module 'redlock' {
  import type { Redis } from 'ioredis'

  interface Lock {
    readonly expiration: number
    extend(ttlMs: number): Promise<Lock>
    unlock(): Promise<void>
  }
  export default class Redlock {
    constructor(clients: Redis[], options?: { retryCount?: number; retryDelay?: number })
    on(event: 'clientError', listener: (error: Error) => void): void
    lock(resource: string | string[], ttlMs: number): Promise<Lock>
  }
}

declare module 'express-session' {
  export interface SessionData {
    cookie: { originalMaxAge: number | null }
    [name: string]: unknown
  }
  export class Store {}
}

/**
 * Where a change takes place, and how replicas are told: all it takes to serve a client that
 * waited.
 */
import type { Moment } from '../../base/clock.ts'
import type { Db } from '../keyspace/db.ts'
import type { KeyspaceEvent } from './keyspace-event.ts'

/** A command that has the same effect; or a function that puts it into words, asked at once and only if someone is told. */
export type ToldEffect = readonly string[] | (() => readonly string[])

export interface EffectContext {
  readonly db: Db
  readonly now: Moment
  /** Tells replicas of the change. `changes`: of how many elements, which [save] counts; 1 unless given. */
  propagate(effect: ToldEffect, changes?: number): void
  /** Changes for [save] that are not counted as the effects by which replicas hear of them. */
  countChanges(changes: number): void
  /** Tells subscribers what happened to the key, which is in `db` unless another one is given. */
  notify(event: KeyspaceEvent, key: string, db?: Db): void
}

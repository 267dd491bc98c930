/**
 * A moment, as both clocks saw it. Durations are measured on the monotonic clock, which cannot jump.
 * The wall clock is what people and other processes call the time; it may go backwards, and a jump is
 * itself a fact worth acting on (TILT). Both are whole milliseconds and passed in, never read.
 */
export interface Moment {
  readonly monoMs: number
  /** Milliseconds since the Unix epoch. */
  readonly wallMs: number
}

/** A stream: entries in the order of their ids, and the groups of consumers that read them. */
export class Stream {
  /** Shares nothing with the original. */
  copy(): Stream {
    return new Stream()
  }
}

/**
 * Tells for how long changes of the source have been missing. The commit time of the last transaction
 * does not: a source that is quiet would look like one that is not read.
 */
interface Measurement {
  /** Where the source was. */
  readonly lsn: bigint
  readonly atMs: number
}

export class LagClock {
  /** Measurements that are not reached yet, the oldest first. */
  #ahead: readonly Measurement[] = []
  /** Since when the source could not be asked. */
  #unknownSinceMs: number | undefined

  /** Takes where the source is, and the position up to which everything is applied. */
  measure(measured: Measurement, applied: bigint): void {
    this.#unknownSinceMs = undefined
    this.#ahead = [...this.#ahead, measured].filter(({ lsn }) => lsn > applied)
  }

  /** Notes that the source could not be asked. */
  miss(atMs: number): void {
    this.#unknownSinceMs ??= atMs
  }

  lagMsAt(nowMs: number): number {
    return nowMs - (this.#ahead[0]?.atMs ?? this.#unknownSinceMs ?? nowMs)
  }
}

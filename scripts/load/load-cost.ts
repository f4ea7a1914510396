/** What loading a number of objects cost. */
export interface LoadCost {
  readonly seconds: number
  /** Of all processes that take part; NaN if it cannot be measured. */
  readonly cpuMicros: number
  /** The size of the files. */
  readonly bytes: number
}

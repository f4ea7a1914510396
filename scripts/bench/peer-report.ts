/** What the comparison with other services is told. */
export interface PeerContext {
  readonly objects: number
  readonly rounds: number
  readonly sliceMs: number
}

/** One peer asked one question. */
export interface PeerRow {
  readonly name: string
  readonly question: 'walk' | 'query'
  readonly cpuMsPer1000Objects: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Its CPU per object over the service's. */
  readonly timesService: number
}

/** The outcome of the comparison with other services. */
export interface PeerReport {
  readonly title: string
  /** The settings of each peer, and the peers that are missing. */
  readonly notes: readonly string[]
  readonly rows: readonly PeerRow[]
}

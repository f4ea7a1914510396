/** Writes the groups of an aggregation as JSON, and refuses results that are too large. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../contract/limits.ts'
import type { Aggregation } from '../../query/aggregation/aggregation.ts'

/** The approximate bytes of a metric in the response, besides its name and its value. */
const METRIC_BYTES = 25
/** Strings and buffers of megabytes take too long to create and to copy at a stretch. */
const PIECE_LENGTH = 64 * 1024

export class GroupWriter {
  readonly #groupNames: readonly string[]
  readonly #metricNames: readonly string[]
  readonly #metricBytes: number
  readonly #pieces: Buffer[] = []
  #texts: string[] = []
  #length = 0
  #bytes = 0

  constructor({ metrics, groupings }: Aggregation) {
    this.#groupNames = groupings.map(({ property }) => `${JSON.stringify(property)}:`)
    this.#metricNames = metrics.map(({ name }) => `{"name":${JSON.stringify(name)}`)
    this.#metricBytes = metrics.reduce((sum, { name }) => sum + name.length + METRIC_BYTES, 0)
  }

  /** Adds the JSON of each key and of each metric, in order; undefined for one without a value. */
  add(keys: readonly string[], metrics: readonly (string | undefined)[]): void {
    this.#bytes += this.#metricBytes
    for (const value of [...keys, ...metrics]) this.#bytes += value?.length ?? 0
    if (this.#bytes > AGGREGATE_MAX_BYTES) {
      throw new ObjectQueryError('AggregationMemoryExceededLimit', {
        bytesLimit: AGGREGATE_MAX_BYTES,
      })
    }
    // By hand, because the values are JSON already.
    const group = keys.map((key, index) => this.#groupNames[index] + key)
    const measured = metrics.map(
      (value, index) =>
        `${this.#metricNames[index]}${value === undefined ? '' : `,"value":${value}`}}`,
    )
    const text = `{"group":{${group.join(',')}},"metrics":[${measured.join(',')}]}`
    this.#texts.push(text)
    this.#length += text.length
    if (this.#length >= PIECE_LENGTH) this.#encode()
  }

  /** Returns all groups, separated by commas. */
  finish(): readonly Uint8Array[] {
    this.#encode()
    return this.#pieces
  }

  #encode(): void {
    if (this.#texts.length === 0) return
    const text = this.#texts.join(',')
    this.#pieces.push(Buffer.from(this.#pieces.length === 0 ? text : `,${text}`))
    this.#texts = []
    this.#length = 0
  }
}

export function tooManyGroups(groupsCount: number, groupsLimit: number): ObjectQueryError {
  return new ObjectQueryError('AggregationGroupCountExceededLimit', { groupsCount, groupsLimit })
}

/** Writes a double as JSON; what JSON cannot express is a string. */
export function doubleJson(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`
}

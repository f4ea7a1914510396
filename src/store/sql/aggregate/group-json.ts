/** Writes the groups of an aggregation as JSON. */
import type { Aggregation } from '../../../query/aggregation/aggregation.ts'

/** One group of an aggregation, before it is written. */
export interface AggregatedGroup {
  /** The value of each grouping, in order, as JSON text. */
  readonly keys: readonly string[]
  /** The JSON text of each metric, in order; undefined if it has no value. */
  readonly metrics: readonly (string | undefined)[]
}

/** Returns a function that writes groups as JSON; by hand, because their keys are JSON already. */
export function groupWriter({
  metrics,
  groupings,
}: Aggregation): (group: AggregatedGroup) => string {
  const metricNames = metrics.map(({ name }) => `{"name":${JSON.stringify(name)}`)
  const groupNames = groupings.map(({ property }) => `${JSON.stringify(property)}:`)
  return (group) => {
    const keys = group.keys.map((key, index) => `${groupNames[index]}${key}`)
    const values = group.metrics.map(
      (value, index) => `${metricNames[index]}${value === undefined ? '' : `,"value":${value}`}}`,
    )
    return `{"group":{${keys.join(',')}},"metrics":[${values.join(',')}]}`
  }
}

/** Writes a double as JSON; what JSON cannot express is a string. */
export function doubleJson(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`
}

/**
 * Joins small texts with commas into pieces of bytes. Strings and buffers of megabytes take too long
 * to create and to copy at a stretch.
 */
export class JoinedTexts {
  readonly #pieces: Buffer[] = []
  #texts: string[] = []
  #length = 0

  add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
    if (this.#length >= PIECE_LENGTH) this.#encode()
  }

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

const PIECE_LENGTH = 64 * 1024

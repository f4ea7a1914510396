import type { Aggregation } from '../../query/aggregation/aggregation.ts'

/** One group of an aggregation, before it is written. */
export interface AggregatedGroup {
  /** For each grouping, in order, what names the group, as JSON text. */
  readonly keys: readonly string[]
  /** For each metric, in order; undefined for the least, largest, sum and mean of nothing. */
  readonly metrics: readonly (number | undefined)[]
}

/** Writes groups as they stand on the wire; by hand, because their keys are JSON text already. */
export function groupWriter({
  metrics,
  groupings,
}: Aggregation): (group: AggregatedGroup) => string {
  const metricNames = metrics.map(({ name }) => `{"name":${JSON.stringify(name)}`)
  const groupNames = groupings.map(({ property }) => `${JSON.stringify(property)}:`)
  return (group) => {
    const keys = group.keys.map((key, index) => `${groupNames[index]}${key}`)
    const values = group.metrics.map(
      (value, index) => `${metricNames[index]}${valueMember(value)}}`,
    )
    return `{"group":{${keys.join(',')}},"metrics":[${values.join(',')}]}`
  }
}

function valueMember(value: number | undefined): string {
  if (value === undefined) return ''
  return `,"value":${Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`}`
}

/** Texts with commas between them, as bytes: texts are small, and strings of megabytes slow. */
export class JoinedTexts {
  readonly #pieces: Buffer[] = []
  #texts: string[] = []
  #length = 0

  add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
    if (this.#length >= PIECE_LENGTH) this.#encode()
  }

  /** Returns all bytes, in memory of their own. */
  finish(): Uint8Array {
    this.#encode()
    return Buffer.concat(this.#pieces)
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

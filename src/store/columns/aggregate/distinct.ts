/** The number of distinct values of groups. */
import type { Column } from '../segment/column.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import { NumberCodes, numberCoder, textCoder } from './coder.ts'
import { PairTable } from './pair-table.ts'
import { TextNumbers } from './text-numbers.ts'

/** The codes up to this one are bits, in as many groups as fit into 32 MB. */
const BITS = 2 ** 21
const GROUPS_WITH_BITS = 128

/** The codes that groups have had. */
interface Seen {
  readonly bits: (Uint8Array | undefined)[]
  readonly others: PairTable
}

export class DistinctCounts implements Accumulator {
  readonly #texts = new TextNumbers()
  #numbers: NumberCodes | undefined
  readonly #seen: Seen = { bits: [], others: new PairTable() }
  #codes = new Int32Array(1)
  #counts = new Float64Array(1)

  reserve(groups: number): void {
    this.#counts = larger(this.#counts, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    const coder = this.#coderOf(column)
    return (
      coder &&
      ((rows) => {
        this.#codes = larger(this.#codes, rows.count)
        coder.read(rows, this.#codes)
        markCodes(this.#codes, rows, this.#seen, this.#counts)
      })
    )
  }

  #coderOf(column: Column) {
    if (column.kind === 'codes') return textCoder(column, this.#texts.ofCodes(column.dictionary))
    if (column.kind !== 'numbers') return undefined
    // Whole numbers are codes; all others have those of a table.
    this.#numbers ??= new NumberCodes(column.range.isWhole ? BITS : 0)
    this.#numbers.startAt(column.range.min)
    return numberCoder(column, { codes: this.#numbers, toKey: undefined, absent: -1 })
  }

  json(group: number): string {
    return String(this.#counts[group])
  }

  compare(a: number, b: number): number {
    return (this.#counts[a] as number) - (this.#counts[b] as number)
  }
}

function markCodes(
  codes: Int32Array,
  { groups, count }: GroupedRows,
  { bits, others }: Seen,
  counts: Float64Array,
): void {
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number
    if (code === -1) continue
    const group = groups[at] as number
    if (group < GROUPS_WITH_BITS && code < BITS) {
      let ofGroup = bits[group]
      if (ofGroup === undefined) {
        ofGroup = new Uint8Array(BITS >>> 3)
        bits[group] = ofGroup
      }
      const byte = ofGroup[code >>> 3] as number
      if (((byte >>> (code & 7)) & 1) === 1) continue
      ofGroup[code >>> 3] = byte | (1 << (code & 7))
    } else {
      const before = others.size
      if (others.idOf(group, code) < before) continue
    }
    counts[group] = (counts[group] as number) + 1
  }
}

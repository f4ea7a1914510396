/** The number of distinct values of groups. */
import type { Column } from '../segment/column.ts'
import { type Accumulator, type AddRows, larger } from './accumulator.ts'
import { NumberCodes, numberCoder, textCoder } from './coder.ts'
import { PairTable } from './pair-table.ts'
import { TextNumbers } from './text-numbers.ts'

/** The codes up to this one are bits, in as many groups as fit into 32 MB. */
const BITS = 2 ** 21
const GROUPS_WITH_BITS = 128

export class DistinctCounts implements Accumulator {
  readonly #texts = new TextNumbers()
  readonly #numbers = new NumberCodes(BITS)
  readonly #bits: Uint8Array[] = []
  readonly #others = new PairTable()
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
        for (let at = 0; at < rows.count; at += 1) {
          const code = this.#codes[at] as number
          if (code !== -1) this.#add(rows.groups[at] as number, code)
        }
      })
    )
  }

  #coderOf(column: Column) {
    if (column.kind === 'codes') return textCoder(column, this.#texts.ofCodes(column.dictionary))
    if (column.kind !== 'numbers') return undefined
    this.#numbers.startAt(column.range.min)
    return numberCoder(column, { codes: this.#numbers, toKey: undefined, absent: -1 })
  }

  #add(group: number, code: number): void {
    if (group < GROUPS_WITH_BITS && code < BITS) {
      let bits = this.#bits[group]
      if (bits === undefined) {
        bits = new Uint8Array(BITS >>> 3)
        this.#bits[group] = bits
      }
      const byte = bits[code >>> 3] as number
      if (((byte >>> (code & 7)) & 1) === 1) return
      bits[code >>> 3] = byte | (1 << (code & 7))
    } else {
      const before = this.#others.size
      if (this.#others.idOf(group, code) < before) return
    }
    this.#counts[group] = (this.#counts[group] as number) + 1
  }

  json(group: number): string {
    return String(this.#counts[group])
  }

  compare(a: number, b: number): number {
    return (this.#counts[a] as number) - (this.#counts[b] as number)
  }
}

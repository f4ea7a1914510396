/** The number of distinct values of groups. */
import type { Column } from '../segment/column.ts'
import { selectDoubles } from '../segment/read-chunk.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import { countDistinct } from './count-distinct.ts'
import { type Coder, NumberCodes, numberCoder, textCoder } from './group-codes.ts'
import { KeptValues } from './kept-values.ts'
import { NO_TEXT, TextNumbers } from './text-numbers.ts'

/** Codes are marked in this many bytes at most. */
const MAX_MARKS = 2 ** 26
/** Whole numbers in a larger range have no codes. */
const MAX_RANGE = 2 ** 21

/** Which codes groups have: 1 at `group * width + code`. */
interface Marks {
  /** A power of two. Larger codes are not marked. */
  readonly width: number
  /** Groups from this one on have no marks. */
  readonly groupsEnd: number
  bytes: Uint8Array
}

export class DistinctCounts implements Accumulator {
  readonly #texts = new TextNumbers()
  #numbers: NumberCodes | undefined
  /** Made for the values of the first segment. */
  #marks: Marks | undefined
  /** The codes that are not marked; or all values, if they have no codes. */
  readonly #kept = new KeptValues()
  #codes = new Int32Array(1)
  #groupCount = 1
  #counts: Float64Array | undefined

  reserve(groups: number): void {
    this.#groupCount = Math.max(this.#groupCount, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind === 'codes') {
      const coder = textCoder(column, this.#texts.ofCodes(column.dictionary))
      return this.#codeAdder(coder, { none: NO_TEXT, end: this.#texts.size })
    }
    if (column.kind !== 'numbers') return undefined
    const { values, present, range } = column
    const size = range.max - range.min + 1
    const isCodable = range.isWhole && size <= MAX_RANGE && this.#kept.count === 0
    if (this.#numbers === undefined && !isCodable) {
      this.#kept.reserve(values.length)
      return (rows) => this.#kept.add(selectDoubles(values, rows), present, rows)
    }
    this.#numbers ??= new NumberCodes(size)
    this.#numbers.startAt(range.min)
    const none = -1
    const key = { codes: this.#numbers, toKey: undefined, absent: none }
    return this.#codeAdder(numberCoder(column, key), { none, end: size })
  }

  #codeAdder(
    coder: Coder & { kind: 'one' },
    { none, end }: { readonly none: number; readonly end: number },
  ): AddRows {
    this.#marks ??= marksFor(end)
    const marks = this.#marks
    return (rows) => {
      this.#codes = larger(this.#codes, rows.count)
      coder.read(rows, this.#codes)
      const markedGroups = Math.min(rows.groupsEnd, marks.groupsEnd)
      marks.bytes = larger(marks.bytes, markedGroups * marks.width)
      markCodes(this.#codes, rows, { ...marks, none, kept: this.#kept })
    }
  }

  json(group: number): string {
    return String(this.#countOf(group))
  }

  compare(a: number, b: number): number {
    return this.#countOf(a) - this.#countOf(b)
  }

  #countOf(group: number): number {
    this.#counts ??= this.#countAll()
    return this.#counts[group] as number
  }

  #countAll(): Float64Array {
    const { bytes, width } = this.#marks ?? marksFor(0)
    const valuesOf = this.#kept.byGroup(this.#groupCount)
    return Float64Array.from({ length: this.#groupCount }, (_, group) => {
      const marked = bytes.subarray(group * width, (group + 1) * width)
      return countMarks(marked) + countDistinct(valuesOf(group))
    })
  }
}

function marksFor(codes: number): Marks {
  // A shift, because the compiler treats the result of a power as a double.
  const width = 1 << Math.ceil(Math.log2(codes + 1))
  return { width, groupsEnd: Math.floor(MAX_MARKS / width), bytes: new Uint8Array(width) }
}

function markCodes(
  codes: Int32Array,
  { groups, count }: GroupedRows,
  { width, groupsEnd, bytes, none, kept }: Marks & { none: number; kept: KeptValues },
): void {
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number
    if (code === none) continue
    const group = groups[at] as number
    if (code < width && group < groupsEnd) bytes[group * width + code] = 1
    else kept.addOne(code, group)
  }
}

function countMarks(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1) count += bytes[at] as number
  return count
}

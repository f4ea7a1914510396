/** Builds columns of texts. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { addDictionary } from '../arrays/dictionary.ts'
import { Growing } from '../arrays/growing.ts'
import type { ImageWriter } from '../arrays/shared-arrays.ts'
import type { PostingsBuilder } from './build-postings.ts'
import type { ColumnPlace } from './column.ts'
import type { ColumnBuilder, ColumnOptions, FieldValue, RowOrder } from './column-builder.ts'
import { DistinctTexts } from './distinct-texts.ts'
import type { PostingsPlace } from './postings.ts'
import { toText } from './stored-form.ts'

/** Fewer distinct texts do not show that they hardly recur. */
const MIN_DISTINCT = 4096
const MIN_DISTINCT_SHARE = 0.9

export class CodeBuilder implements ColumnBuilder {
  readonly #type: ScalarType
  readonly #terms: PostingsBuilder | undefined
  readonly #options: ColumnOptions
  /** The texts with their numbers; undefined once they take too much. */
  #numbers: DistinctTexts | undefined = new DistinctTexts()
  #size = 0
  #length = 0
  /** The numbers of texts; 0 for no value. */
  readonly #codes: Growing<Uint32Array>
  /** The numbers of texts by their codes minus 1. */
  #sorted: Uint32Array = new Uint32Array()
  /** For each position the number of its text, or its code once there is a dictionary; 0 for none. */
  #ordered: Uint32Array = new Uint32Array()

  constructor(type: ScalarType, options: ColumnOptions, terms?: PostingsBuilder) {
    this.#type = type
    this.#terms = terms
    this.#codes = new Growing((length) => new Uint32Array(length), options.rows)
    this.#options = options
  }

  add(value: FieldValue): void {
    this.#codes.push(
      value === undefined ? 0 : this.#numberOf(toText(this.#type, value as ColumnValue)),
    )
  }

  #numberOf(text: string): number {
    const known = this.#numbers?.numberOf(text)
    if (known !== undefined) return known
    this.#size += 1
    this.#terms?.add(text)
    this.#numbers?.add(text)
    this.#length += text.length
    this.#dropLongTexts()
    return this.#size
  }

  /** From then on, every text has a number of its own, which only the term index uses. */
  #dropLongTexts(): void {
    const { maxTextLength, maxRows } = this.#options
    const isTooLong = this.#length > maxTextLength
    if (isTooLong || this.#areDistinct(maxTextLength / maxRows)) this.#numbers = undefined
  }

  /** True if the texts hardly recur and are long, so that there is no need to collect more of them. */
  #areDistinct(maxMean: number): boolean {
    const rows = this.#codes.length
    if (this.#size < MIN_DISTINCT || this.#size < MIN_DISTINCT_SHARE * rows) return false
    return this.#length > maxMean * rows
  }

  finish(image: ImageWriter, order: RowOrder): ColumnPlace | undefined {
    this.#ordered = this.#codes.inOrder(order)
    this.#dropLongTexts()
    const numbers = this.#numbers
    if (numbers === undefined) return undefined
    const { texts, numbers: sorted } = numbers.sort()
    this.#sorted = sorted
    const codesOfNumbers = new Uint32Array(texts.length + 1)
    this.#sorted.forEach((number, index) => {
      codesOfNumbers[number] = index + 1
    })
    const codes = this.#ordered
    for (let at = 0; at < codes.length; at += 1) {
      codes[at] = codesOfNumbers[codes[at] as number] as number
    }
    return {
      kind: 'codes',
      type: this.#type,
      codes: image.addNumbers(codes, { isWhole: true, min: 0, max: texts.length }),
      dictionary: addDictionary(image, texts),
    }
  }

  /** Of a list: where the values of each position start. */
  finishTerms(image: ImageWriter, starts?: Uint32Array): PostingsPlace | undefined {
    const codes = this.#ordered
    if (this.#numbers === undefined) {
      return this.#terms?.finish(image, { of: 'rows', texts: codes, starts })
    }
    // Rows with a code have to be searched for, so texts that hardly recur are indexed by row.
    const isByRow = starts === undefined && this.#size * 2 > codes.length
    const texts = isByRow ? codes.map((code) => this.#sorted[code - 1] ?? 0) : this.#sorted
    return this.#terms?.finish(image, { of: isByRow ? 'rows' : 'codes', texts, starts: undefined })
  }
}

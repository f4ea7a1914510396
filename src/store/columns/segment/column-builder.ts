/** What builds a column, value by value. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { ImageWriter } from '../arrays/shared-arrays.ts'
import type { ColumnPlace } from './column.ts'
import type { PostingsPlace } from './postings.ts'

/** What a row has in a field: nothing, one value, or those of a list. Points are pairs. */
export type FieldValue = ColumnValue | Point | readonly (ColumnValue | Point)[] | undefined

export interface Point {
  readonly longitude: number
  readonly latitude: number
}

/** For each position, which of the added rows it has; undefined if rows were added in their order. */
export type RowOrder = Uint32Array | undefined

export interface ColumnBuilder {
  add(value: FieldValue): void
  /** Returns undefined if the column would be too large to be worth its memory. */
  finish(image: ImageWriter, order: RowOrder): ColumnPlace | undefined
  /** Adds the term index of texts, after `finish`. */
  finishTerms?(image: ImageWriter): PostingsPlace | undefined
}

export interface ColumnOptions {
  /** The approximate number of rows. */
  readonly rows: number
  /** Whether texts get a term index. */
  readonly hasTerms: boolean
  /**
   * Columns whose distinct texts are longer have no values: they take more than they are worth. The
   * number is smaller at the end, if fewer rows were added than there could have been.
   */
  readonly maxTextLength: number
  /** The most rows that can be added. */
  readonly maxRows: number
}

/**
 * Many changes in two buffers: their texts as one string, with the length of each, and their terms.
 * The writer reads a put when it writes its row: if all puts of a batch existed at once, the garbage
 * collector would copy them several times.
 */
import { deserialize, serialize } from 'node:v8'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { EncodedRows, PutMessage } from './change-message.ts'

interface RowTable {
  /** The texts of all changes, one after the other. */
  readonly texts: string
  /**
   * For each put the number of bytes of its terms, and the lengths of its texts: the key of the
   * object, the object ID, the key, the title, the body, and each column value. A value that is not
   * a text has the length `NO_TEXT`. For each delete `NO_TEXT`, and the length of its key.
   */
  readonly lengths: Int32Array
  /** The values without a text, one after the other. */
  readonly others: readonly (ColumnValue | null)[]
  /** Elements, texts and points, which few puts have, by the number of the change. */
  readonly extras: ReadonlyMap<number, PutExtras>
  /** The number of column values of a put. */
  readonly columns: number
}

type PutExtras = readonly [elements: PutMessage[6], texts: PutMessage[7], points: PutMessage[8]]

const NO_TEXT = -1
/** The terms, and the texts before the column values. */
const FIXED_LENGTHS = 6
const NO_EXTRAS: PutExtras = [[], [], []]

/** Encodes changes, in which the number of bytes of the terms is in place of the terms. */
export function encodeRows(
  changes: readonly (PutMessage<number> | readonly [pk: string])[],
  columns: number,
): Uint8Array<ArrayBuffer> {
  const texts: string[] = []
  const lengths: number[] = []
  const others: (ColumnValue | null)[] = []
  const extras = new Map<number, PutExtras>()
  const addValue = (value: ColumnValue | null) => {
    if (typeof value === 'string') {
      texts.push(value)
      lengths.push(value.length)
    } else {
      others.push(value)
      lengths.push(NO_TEXT)
    }
  }
  for (const [index, change] of changes.entries()) {
    if (change.length === 1) {
      lengths.push(NO_TEXT)
      addValue(change[0])
      continue
    }
    const [pk, objectId, key, title, body, values, elements, fieldTexts, points, terms] = change
    lengths.push(terms, pk.length, objectId.length, key.length)
    texts.push(pk, objectId, key)
    addValue(title)
    addValue(body)
    for (const value of values) addValue(value)
    if (elements.length + fieldTexts.length + points.length > 0) {
      extras.set(index, [elements, fieldTexts, points])
    }
  }
  const table: RowTable = {
    texts: texts.join(''),
    lengths: Int32Array.from(lengths),
    others,
    extras,
    columns,
  }
  return serialize(table)
}

/** Returns the changes of a message. */
export function decodeRows({ rows, terms }: EncodedRows): EncodedChange[] {
  const table: RowTable = deserialize(rows)
  const { lengths, columns } = table
  const changes: EncodedChange[] = []
  const at = { length: 0, text: 0, other: 0, term: 0 }
  while (at.length < lengths.length) {
    const change = new EncodedChange(table, terms, changes.length, { ...at })
    changes.push(change)
    const end = at.length + (change.isPut ? FIXED_LENGTHS + columns : 2)
    at.term += change.isPut ? (lengths[at.length] ?? 0) : 0
    for (at.length += 1; at.length < end; at.length += 1) {
      const length = lengths[at.length] ?? 0
      if (length === NO_TEXT) at.other += 1
      else at.text += length
    }
  }
  return changes
}

/** Where a change begins in each part of its message. */
interface RowStart {
  readonly length: number
  readonly text: number
  readonly other: number
  readonly term: number
}

export class EncodedChange {
  readonly pk: string
  readonly isPut: boolean
  readonly #table: RowTable
  readonly #terms: Uint8Array
  readonly #index: number
  readonly #start: RowStart

  constructor(table: RowTable, terms: Uint8Array, index: number, start: RowStart) {
    const { length, text } = start
    this.pk = table.texts.slice(text, text + (table.lengths[length + 1] ?? 0))
    this.isPut = table.lengths[length] !== NO_TEXT
    this.#table = table
    this.#terms = terms
    this.#index = index
    this.#start = start
  }

  /** Returns a put as a message. */
  readPut(): PutMessage {
    const { texts, lengths, others, extras, columns } = this.#table
    const { length, text, other, term } = this.#start
    let [textAt, otherAt] = [text, other]
    const read = (index: number): ColumnValue | null => {
      const size = lengths[length + index] ?? 0
      if (size === NO_TEXT) return others[otherAt++] ?? null
      textAt += size
      return texts.slice(textAt - size, textAt)
    }
    textAt += this.pk.length
    const objectId = read(2) as string
    const key = read(3) as string
    const title = read(4) as string | null
    const body = read(5) as string
    const values: (ColumnValue | null)[] = []
    for (let index = 0; index < columns; index += 1) values.push(read(FIXED_LENGTHS + index))
    const [elements, fieldTexts, points] = extras.get(this.#index) ?? NO_EXTRAS
    const terms = this.#terms.subarray(term, term + (lengths[length] ?? 0))
    return [this.pk, objectId, key, title, body, values, elements, fieldTexts, points, terms]
  }
}

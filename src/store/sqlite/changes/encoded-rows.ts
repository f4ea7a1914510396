/**
 * Many changes in two buffers: the keys, which the writer needs to sort the changes, and the rows, as
 * one string with the length of each text. The rows of a message are decoded when the
 * first of them is written, and dropped after the last: if all rows of a batch existed at once, the
 * garbage collector would copy them several times.
 */
import { deserialize, serialize } from 'node:v8'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { ChangeMessage, EncodedRows, PutMessage } from './change-message.ts'

interface KeyTable {
  /** The keys of all changes, one after the other. */
  readonly texts: string
  /** The length of the key of each put, and the complement of that of each delete. */
  readonly lengths: Int32Array
}

interface RowTable {
  /** The texts of all puts, one after the other, in strings of moderate length. */
  readonly texts: readonly string[]
  /**
   * For each change the string of its texts, where its texts and its other values begin, its
   * checksum, and the lengths of its texts: the object ID, the key, the title, the body, and each
   * column value. A value that is not a text has the length `NO_TEXT`, and a long text that the body
   * has too has its place there, see `placeIn`. All 0 for a delete.
   */
  readonly numbers: Int32Array
  /** The values without a text, one after the other. */
  readonly others: readonly (ColumnValue | null)[]
  /** The number of column values of a put. */
  readonly columns: number
}

const NO_TEXT = -1
/** Shorter texts are added once more: to look for them would take as long. */
const PLACED_LENGTH = 16
const LENGTH_BITS = 13
const MAX_PLACED_LENGTH = (1 << LENGTH_BITS) - 1
const MAX_PLACE = (1 << 17) - 1

/** Returns the complement of the place and length of a text in a body; undefined if it has none. */
function placeIn(body: string, text: string): number | undefined {
  if (text.length < PLACED_LENGTH || text.length > MAX_PLACED_LENGTH) return undefined
  const at = body.indexOf(text)
  if (at === -1 || at > MAX_PLACE) return undefined
  return NO_TEXT - 1 - ((at << LENGTH_BITS) | text.length)
}

function placedText(body: string, placed: number): string {
  const place = NO_TEXT - 1 - placed
  const at = place >>> LENGTH_BITS
  return body.slice(at, at + (place & MAX_PLACED_LENGTH))
}

/** The numbers before the lengths of the column values. */
const FIXED_NUMBERS = 8
/**
 * A string is not continued beyond this length. V8 allocates objects of more than 128 kB in the old
 * generation at once, and collecting them there took a tenth of the CPU time of an import.
 */
const STRING_LENGTH = 48 * 1024

/** Space for the numbers of this many changes, which grows. */
const INITIAL_CHANGES = 512

export function encodeRows(
  changes: Iterable<ChangeMessage>,
  columns: number,
): EncodedRows & { readonly count: number } {
  const width = FIXED_NUMBERS + columns
  const keys: string[] = []
  const keyLengths: number[] = []
  const strings: string[] = []
  let texts: string[] = []
  let numbers = new Int32Array(INITIAL_CHANGES * width)
  const others: (ColumnValue | null)[] = []
  const at = { number: 0, text: 0 }
  const addValue = (value: ColumnValue | null) => {
    if (typeof value === 'string') {
      texts.push(value)
      at.text += value.length
      numbers[at.number++] = value.length
    } else {
      others.push(value)
      numbers[at.number++] = NO_TEXT
    }
  }
  for (const change of changes) {
    const pk = change[0]
    const index = keys.push(pk) - 1
    at.number = index * width
    if (at.number === numbers.length) {
      const larger = new Int32Array(2 * numbers.length)
      larger.set(numbers)
      numbers = larger
    }
    keyLengths.push(change.length === 1 ? ~pk.length : pk.length)
    if (change.length === 1) continue
    const [, objectId, key, title, body, values, checksum] = change
    if (at.text > STRING_LENGTH) {
      strings.push(texts.join(''))
      texts = []
      at.text = 0
    }
    numbers[at.number++] = strings.length
    numbers[at.number++] = at.text
    numbers[at.number++] = others.length
    numbers[at.number++] = checksum
    addValue(objectId)
    addValue(key)
    addValue(title)
    addValue(body)
    for (const value of values) {
      const placed = typeof value === 'string' ? placeIn(body, value) : undefined
      if (placed === undefined) addValue(value)
      else numbers[at.number++] = placed
    }
  }
  const count = keys.length
  const keyTable: KeyTable = { texts: keys.join(''), lengths: Int32Array.from(keyLengths) }
  strings.push(texts.join(''))
  const used = numbers.subarray(0, count * width)
  const rowTable: RowTable = { texts: strings, numbers: used, others, columns }
  return { count, keys: serialize(keyTable), rows: serialize(rowTable) }
}

/** Returns the changes of a message. */
export function decodeRows(message: EncodedRows): EncodedChange[] {
  const { texts, lengths }: KeyTable = deserialize(message.keys)
  const rows = new MessageRows(message, lengths.filter((length) => length >= 0).length)
  const changes: EncodedChange[] = []
  let at = 0
  for (const [index, length] of lengths.entries()) {
    const isPut = length >= 0
    const start = at
    at += isPut ? length : ~length
    changes.push(new EncodedChange(texts.slice(start, at), isPut, rows, index))
  }
  return changes
}

/** The rows of one message, decoded while they are written. */
class MessageRows {
  readonly #message: EncodedRows
  readonly #puts: number
  #table: RowTable | undefined
  #unread = 0

  constructor(message: EncodedRows, puts: number) {
    this.#message = message
    this.#puts = puts
  }

  read(index: number, pk: string): PutMessage {
    if (this.#table === undefined) {
      this.#table = deserialize(this.#message.rows) as RowTable
      this.#unread = this.#puts
    }
    const table = this.#table
    this.#unread -= 1
    // A row that is read twice is decoded again.
    if (this.#unread === 0) this.#table = undefined
    return readRow(table, index, pk)
  }
}

function readRow(table: RowTable, index: number, pk: string): PutMessage {
  const { numbers, others, columns } = table
  let at = index * (FIXED_NUMBERS + columns)
  const texts = table.texts[numbers[at++] ?? 0] ?? ''
  let textAt = numbers[at++] ?? 0
  let otherAt = numbers[at++] ?? 0
  const checksum = numbers[at++] ?? 0
  const read = (): ColumnValue | null => {
    const size = numbers[at++] ?? 0
    if (size === NO_TEXT) return others[otherAt++] ?? null
    textAt += size
    return texts.slice(textAt - size, textAt)
  }
  const objectId = read() as string
  const key = read() as string | null
  const title = read() as string | number | null
  const body = read() as string
  const values: (ColumnValue | null)[] = []
  for (let column = 0; column < columns; column += 1) {
    const size = numbers[at] ?? 0
    if (size >= NO_TEXT) values.push(read())
    else {
      values.push(placedText(body, size))
      at += 1
    }
  }
  return [pk, objectId, key, title, body, values, checksum]
}

export class EncodedChange {
  readonly pk: string
  readonly isPut: boolean
  readonly #rows: MessageRows
  readonly #index: number

  constructor(pk: string, isPut: boolean, rows: MessageRows, index: number) {
    this.pk = pk
    this.isPut = isPut
    this.#rows = rows
    this.#index = index
  }

  /** Returns a put as a message. */
  readPut(): PutMessage {
    return this.#rows.read(this.#index, this.pk)
  }
}

export type ReceivedChange = ChangeMessage | EncodedChange

export function keyOf(change: ReceivedChange): string {
  return change instanceof EncodedChange ? change.pk : change[0]
}

export function isPut(change: ReceivedChange): boolean {
  return change instanceof EncodedChange ? change.isPut : change.length > 1
}

/** Returns the index of the change of an object, among changes in the order of their keys. */
export function findChange(changes: readonly ReceivedChange[], pk: string): number | undefined {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (keyOf(changes[middle] as ReceivedChange) < pk) low = middle + 1
    else high = middle
  }
  const found = changes[low]
  return found !== undefined && keyOf(found) === pk ? low : undefined
}

/** Returns the message of a put. */
export function putOf(change: ReceivedChange): PutMessage {
  return change instanceof EncodedChange ? change.readPut() : (change as PutMessage)
}

/** Returns the changes of a job. */
export function changesOf(items: readonly (ChangeMessage | EncodedRows)[]): ReceivedChange[] {
  return items.flatMap((item): ReceivedChange[] => ('rows' in item ? decodeRows(item) : [item]))
}

/**
 * Frees the buffers of a job that is done. If they were left to the garbage collector, it would run
 * after every few batches, because of them alone.
 */
export function freeItems(items: readonly (ChangeMessage | EncodedRows)[]): void {
  for (const item of items) {
    if ('rows' in item) for (const { buffer } of Object.values(item)) buffer.transfer(0)
  }
}

/** Compares objects with their checksums, as exports and the thread that writes their files do. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { OBJECT_ID_LENGTH } from '../../contract/object-record.ts'
import { checksumOf } from '../../store/object-store.ts'

const [SPACE, MINUS, ZERO] = [0x20, 0x2d, 0x30]
const LINE_FEED = 0x0a
/** The key follows the object id, as a JSON string. */
const KEY = /^.{36}("(?:[^"\\]|\\.)*")$/s

export interface CheckOptions {
  readonly objectType: string
  readonly hasSelection: boolean
  /** Whether the keys ascend. */
  readonly isInKeyOrder?: boolean
  /** The stored key of the object before the first record. */
  readonly after?: string | undefined
}

/**
 * Returns the plain records: the bodies, or the selected properties that follow them. Throws
 * `StoredObjectDamaged` if a checksum does not match, or if keys do not ascend: an index is damaged
 * then. The result is written to `plain`, which may be the memory of the records themselves; by default
 * to memory that is not pooled, so that it can be freed.
 */
export function checkRecords(
  checked: Uint8Array,
  { objectType, hasSelection, isInKeyOrder = true, after = '' }: CheckOptions,
  plain = Buffer.allocUnsafeSlow(checked.length),
): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(checked.buffer, checked.byteOffset, checked.length)
  const order = new KeyOrder(after)
  let [at, length] = [0, 0]
  /** Reads digits and the space after them: most of the time of an export would go into parsing texts. */
  const readNumber = () => {
    const isNegative = bytes[at] === MINUS
    if (isNegative) at += 1
    let value = 0
    for (; at < bytes.length && bytes[at] !== SPACE; at += 1) {
      value = 10 * value + ((bytes[at] as number) - ZERO)
    }
    at += 1
    return isNegative ? -value : value
  }
  while (at < bytes.length) {
    const checksum = readNumber()
    const [idsLength, pkLength, bodyLength] = [readNumber(), readNumber(), readNumber()]
    const ids = at
    const pk = ids + idsLength
    const body = pk + pkLength
    const end = body + bodyLength
    // A value that is missing shortens the record, so the lengths lead beyond its end.
    const isWhole = idsLength > OBJECT_ID_LENGTH && end <= bytes.length
    const isIntact = isWhole && checksumOf(bytes.subarray(ids, end)) === checksum
    if (!isIntact || (isInKeyOrder && !order.follow(bytes, pk, body))) {
      throw damaged(objectType, bytes.toString('utf8', ids, pk))
    }
    const lineEnd = hasSelection ? bytes.indexOf(LINE_FEED, end) : end
    // With the line feed that follows, except after the last record.
    at = lineEnd === -1 ? bytes.length : Math.min(bytes.length, lineEnd + 1)
    length += bytes.copy(plain, length, hasSelection ? end : body, at)
  }
  return plain.subarray(0, length)
}

/** Keys that must ascend. Each is copied, because its record may be overwritten. */
class KeyOrder {
  #last: Uint8Array
  #length: number

  constructor(after: string) {
    this.#last = Buffer.from(after)
    this.#length = this.#last.length
  }

  /** Returns whether a key is greater than the one before. */
  follow(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start
    let order = 0
    for (let index = 0; order === 0 && index < length; index += 1) {
      const last = index < this.#length ? (this.#last[index] as number) : -1
      order = (bytes[start + index] as number) - last
    }
    if (length > this.#last.length) this.#last = new Uint8Array(2 * length)
    for (let index = 0; index < length; index += 1) {
      this.#last[index] = bytes[start + index] as number
    }
    this.#length = length
    return order > 0
  }
}

function damaged(objectType: string, ids: string): ObjectQueryError {
  const [, key = ''] = KEY.exec(ids) ?? []
  return new ObjectQueryError('StoredObjectDamaged', { objectType, ...primaryKeyOf(key) })
}

/** Returns nothing for a key that is damaged too. */
function primaryKeyOf(key: string): { readonly primaryKey?: string } {
  try {
    return { primaryKey: JSON.parse(key) as string }
  } catch {
    return {}
  }
}

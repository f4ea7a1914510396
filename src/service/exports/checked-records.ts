/** Checks the records of an export against their checksums, see `CHECKED_RECORD`. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { checksumOf } from '../../store/object-store.ts'

const SPACE = 0x20
const LINE_FEED = 0x0a
/** The key follows the object id, as a JSON string. */
const KEY = /^.{36}("(?:[^"\\]|\\.)*")$/s

export interface CheckOptions {
  readonly objectType: string
  readonly hasSelection: boolean
  /** The stored key of the object before the first record. */
  readonly after: string | undefined
}

/**
 * Returns the plain records: the bodies, or the selected properties that follow them. Throws
 * `StoredObjectDamaged` if a checksum does not match, or if keys do not ascend: an index is damaged
 * then. The memory of the result is not pooled, so that it can be freed.
 */
export function checkRecords(
  checked: Uint8Array,
  { objectType, hasSelection, after = '' }: CheckOptions,
): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(checked.buffer, checked.byteOffset, checked.length)
  const plain = Buffer.allocUnsafeSlow(bytes.length)
  let [at, length] = [0, 0]
  let last: Uint8Array = Buffer.from(after)
  const readText = () => {
    const start = at
    at = bytes.indexOf(SPACE, start) + 1
    return bytes.toString('latin1', start, at - 1)
  }
  while (at < bytes.length) {
    const checksum = readText()
    const [idsLength, pkLength, bodyLength] = [readText(), readText(), readText()].map(Number)
    const ids = at
    const pk = ids + (idsLength ?? 0)
    const body = pk + (pkLength ?? 0)
    const end = body + (bodyLength ?? 0)
    const isIntact = checksumOf(bytes.subarray(ids, end)) === Number(checksum)
    const key = bytes.subarray(pk, body)
    // A value that is missing shortens the record, so the lengths lead beyond its end.
    if (!isIntact || !(end <= bytes.length) || key.compare(last) <= 0) {
      throw damaged(objectType, bytes.toString('utf8', ids, pk))
    }
    last = key
    const lineEnd = hasSelection ? bytes.indexOf(LINE_FEED, end) : end
    // With the line feed that follows, except after the last record.
    at = lineEnd === -1 ? bytes.length : Math.min(bytes.length, lineEnd + 1)
    length += bytes.copy(plain, length, hasSelection ? end : body, at)
  }
  return plain.subarray(0, length)
}

function damaged(objectType: string, ids: string): ObjectQueryError {
  const [, key] = KEY.exec(ids) ?? []
  const primaryKey = key === undefined ? {} : { primaryKey: JSON.parse(key) as string }
  return new ObjectQueryError('StoredObjectDamaged', { objectType, ...primaryKey })
}

/** Throws if an export of all objects has another number of them than the type. */
export function refuseMissingObjects(objectType: string, exported: number, stored: number): void {
  if (exported === stored) return
  throw new ObjectQueryError('StoredObjectDamaged', {
    objectType,
    reason: `the type has ${stored} objects, and ${exported} were found`,
  })
}

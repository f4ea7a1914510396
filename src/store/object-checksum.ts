/**
 * The checksum of a stored object, which detects damage by a disk or a faulty program. It covers what
 * identifies the object and its properties, but not the title, which is a copy of a property.
 */
import { crc32 } from 'node:zlib'
import type { StoredObject } from '../ontology/values/read-object.ts'

/** Returns the checksum as a signed number of 32 bits, which is how databases store it in four bytes. */
export function objectChecksum({
  objectId,
  key,
  pk,
  body,
}: Pick<StoredObject, 'objectId' | 'key' | 'pk' | 'body'>): number {
  return checksumOf(objectId + key + pk + body)
}

/** Returns the checksum of these texts, one after the other, or of their bytes. */
export function checksumOf(texts: string | Uint8Array): number {
  return crc32(texts) | 0
}

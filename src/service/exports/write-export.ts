/**
 * Exports all objects of one version, without page size or retrieval limit. The store is read in
 * chunks, as fast as the client receives them, so a slow client costs no memory.
 */

import { isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_CHUNK_BYTES, EXPORT_CHUNK_OBJECTS } from '../../contract/limits.ts'
import { CHECKED_RECORD, CHECKED_SELECTION } from '../../contract/object-record.ts'
import type { TableSpec } from '../../formats/table-file.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import {
  type Cursor,
  checksumOf,
  type ReadPageRequest,
  type StoredPage,
} from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ExportWriter } from './export-writers.ts'

/** What to export, and how. */
export interface ExportSpec {
  readonly objectType: ObjectType
  readonly writer: ExportWriter
  readonly query: Query
  /** Empty for key order. */
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
  readonly after: Cursor | undefined
  readonly version: number | undefined
  /** Of the types that a rule links to; see `ReadPageRequest`. */
  readonly linkedVersions?: readonly number[] | undefined
  readonly received: number
  /** Whether the export continues another response, whose head it has. */
  readonly isContinuation: boolean
  /** The number of objects of a slice; undefined for all objects. */
  readonly size?: number | undefined
  /** Whether the last line states how the export ended. */
  readonly endLine: boolean
}

/** An export of everything that its query matches now, without an end line. */
export const WHOLE_EXPORT = {
  after: undefined,
  version: undefined,
  received: 0,
  isContinuation: false,
  endLine: false,
} as const satisfies Partial<ExportSpec>

/** How an export ends. */
export interface ExportEnding {
  readonly complete: (count: number) => void
  /** Returns the body of the error. */
  readonly fail: (error: unknown) => string
}

/** Returns 0 for a caller who sees only a part of the type: the version also counts hidden commits. */
export function shownVersion({ objectType }: ExportSpec, { version }: StoredPage): number {
  return isPartlyHidden(objectType) ? 0 : version
}

/** True if an export contains all objects of the newest version, whose number the store knows. */
function isWhole({ query, version, after, objectType }: ExportSpec): boolean {
  const isNewest = version === undefined && after === undefined
  return query.kind === 'everything' && isNewest && !isPartlyHidden(objectType)
}

/** Writes an export whose first chunk was read. */
export async function* writeExport(
  spec: ExportSpec,
  first: StoredPage,
  context: ServiceContext,
  services: ServiceParts,
  ending: ExportEnding,
): AsyncGenerator<Uint8Array | string> {
  const { writer, objectType } = spec
  const { version, linkedVersions = spec.linkedVersions } = first
  const body = writer.open(tableOf(spec))
  let count = spec.received
  try {
    if (!spec.isContinuation) yield body.head()
    for (let chunk = first; ; ) {
      count += chunk.count
      const written = chunk.count > 0 ? await body.records(chunk.records) : undefined
      chunk.release()
      if (written !== undefined) yield written
      if (!chunk.more || count === spec.size) break
      await services.admission.takeTurn(context.callerId)
      context.signal().throwIfAborted()
      // Continues by its own cursor, also if the definition changes meanwhile.
      const start = { after: chunk.last, version, received: count }
      chunk = await readChunk({ ...spec, linkedVersions }, start, context, services)
    }
    if (spec.size !== undefined) refuseMissingObjects(objectType.apiName, count, spec.size)
    if (isWhole(spec) && first.totalCount !== undefined) {
      refuseMissingObjects(objectType.apiName, count, first.totalCount)
    }
    yield await body.finish()
  } catch (error) {
    // The status is already sent.
    const errorBody = ending.fail(error)
    if (spec.endLine && writer.endLines) yield writer.endLines.failure(errorBody)
    return
  }
  ending.complete(count)
  if (spec.endLine && writer.endLines) yield writer.endLines.end(count, shownVersion(spec, first))
}

/** Returns the columns of an export, in the order of the selection. */
function tableOf({ objectType, selection }: ExportSpec): TableSpec {
  const { apiName, primaryKey, properties } = objectType
  const names = selection ?? [...properties.keys()]
  const columns = names.flatMap((name) => {
    const property = properties.get(name)
    const isRequired = name === primaryKey.apiName
    return property === undefined ? [] : [{ name, type: property.type, isRequired }]
  })
  return { name: apiName, columns }
}

interface ChunkStart extends Pick<ReadPageRequest, 'after' | 'version' | 'isOfDefinition'> {
  /** The number of objects before the chunk. */
  readonly received: number
}

/** Reads a chunk of an export, and compares each object with its checksum. */
export async function readChunk(
  { objectType, query, order, selection, linkedVersions, size = Infinity }: ExportSpec,
  { received, ...start }: ChunkStart,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<StoredPage> {
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order,
    record: {
      shape: selection === undefined ? CHECKED_RECORD : CHECKED_SELECTION,
      selection,
      separator: '\n',
    },
    ...start,
    linkedVersions,
    maxObjects: Math.min(EXPORT_CHUNK_OBJECTS, size - received),
    maxBytes: EXPORT_CHUNK_BYTES,
    includeTotalCount: false,
    matchEstimate: undefined,
  }
  const page = await objects.readPage(pageRequest, context)
  if (page === 'reclaimed')
    throw new ObjectQueryError('VersionNotFound', { version: start.version })
  context.noteRead([objectType], page.count)
  const records = checkRecords(page.records, {
    objectType: objectType.apiName,
    hasSelection: selection !== undefined,
    isInKeyOrder: order.length === 0,
    after: start.after?.pk,
  })
  page.release()
  const release = () => {
    if (!records.buffer.detached) records.buffer.transfer(0)
  }
  return { ...page, records, release }
}

const [SPACE, MINUS, ZERO] = [0x20, 0x2d, 0x30]
const LINE_FEED = 0x0a
/** The key follows the object id, as a JSON string. */
const KEY = /^.{36}("(?:[^"\\]|\\.)*")$/s

interface CheckOptions {
  readonly objectType: string
  readonly hasSelection: boolean
  /** Whether the keys ascend. */
  readonly isInKeyOrder?: boolean
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
  { objectType, hasSelection, isInKeyOrder = true, after = '' }: CheckOptions,
): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(checked.buffer, checked.byteOffset, checked.length)
  const plain = Buffer.allocUnsafeSlow(bytes.length)
  let [at, length] = [0, 0]
  let last: Uint8Array = Buffer.from(after)
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
    const isIntact = checksumOf(bytes.subarray(ids, end)) === checksum
    const key = bytes.subarray(pk, body)
    // A value that is missing shortens the record, so the lengths lead beyond its end.
    const isInOrder = !isInKeyOrder || isAfter(key, last)
    if (!isIntact || !(end <= bytes.length) || !isInOrder) {
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

/** Returns whether bytes are greater than others, which are often as short as the bytes of a number. */
function isAfter(bytes: Uint8Array, others: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const difference = (bytes[index] as number) - (others[index] ?? -1)
    if (difference !== 0) return difference > 0
  }
  return false
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

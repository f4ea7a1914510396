/**
 * Exports all objects of one version, without page size or retrieval limit. The store is read in
 * chunks, as fast as the client receives them, so a slow client costs no memory.
 */

import { isPartlyHidden, ShownVersion } from '../../access/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { withDigits } from '../../formats/decimal-digits.ts'
import type { TableSpec } from '../../formats/table-file.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ExportSpec } from './export-spec.ts'
import type { ExportBody, Piece } from './export-writers.ts'
import { measureDecimals } from './measure-decimals.ts'
import { type ExportChunk, readChunk, readChunks } from './read-chunks.ts'
import type { TableFiles } from './table-files.ts'

type ExportServices = ServiceParts & { readonly tableFiles: TableFiles }

/** How an export ends. */
interface ExportEnding {
  readonly complete: (count: number) => void
  /** Returns the body of the error. */
  readonly fail: (error: unknown) => string
}

/** True if an export contains all objects of the newest version, whose number the store knows. */
function isWhole({ query, version, after, objectType }: ExportSpec): boolean {
  const isNewest = version === undefined && after === undefined
  return query.kind === 'everything' && isNewest && !isPartlyHidden(objectType)
}

/** An export whose first chunk was read and converted. */
export interface OpenedExport {
  /** Undefined for a caller who sees only a part of the type. */
  readonly version: ShownVersion | undefined
  readonly write: (ending: ExportEnding) => AsyncGenerator<Uint8Array | string>
}

/** Opens an export, so that an error in its first chunk is known before anything is sent. */
export async function openExport(
  spec: ExportSpec,
  context: ServiceContext,
  services: ExportServices,
): Promise<OpenedExport> {
  const { writer, received, after, version } = spec
  const start = { after, version, isOfDefinition: version !== undefined, received }
  const first = await readChunk(spec, start, context, services)
  let table = tableOf(spec)
  if (writer.measuresDecimals && !spec.isContinuation && !spec.omitsBody) {
    const digits = await measureDecimals(spec, table.columns, first, context, services)
    table = { ...table, columns: withDigits(table.columns, digits) }
  }
  const body = writer.open(table, services.tableFiles)
  context.defer(body.close)
  const convert = (chunk: ExportChunk) => {
    context.noteRead([spec.objectType], chunk.count)
    return convertChunk(body, chunk)
  }
  const pieces = await convert(first)
  const chunks = readChunks(spec, first, context, services)
  return {
    version: ShownVersion.read([spec.objectType], first.version),
    write: (ending) => writeExport(spec, { first, pieces, chunks, convert, body }, ending),
  }
}

interface BegunExport {
  readonly first: ExportChunk
  /** What was converted of the first chunk. */
  readonly pieces: Piece
  /** The chunks after the first. */
  readonly chunks: AsyncGenerator<ExportChunk>
  readonly convert: (chunk: ExportChunk) => Promise<Piece>
  readonly body: ExportBody
}

/** The chunks that are read and converted while one is sent. */
const CHUNKS_AHEAD = 2

async function* writeExport(
  spec: ExportSpec,
  { first, pieces, chunks, convert, body }: BegunExport,
  ending: ExportEnding,
): AsyncGenerator<Piece> {
  const { writer, objectType, received, size } = spec
  let count = received + first.count
  const convertNext = () => {
    const converting = chunks.next().then(({ value: chunk, done }) => {
      if (done) return undefined
      count += chunk.count
      return convert(chunk)
    })
    // Reaches the code that awaits it, if the export gets there.
    converting.catch(() => {})
    return converting
  }
  try {
    if (!spec.isContinuation) yield body.head()
    const converting: Promise<Piece | undefined>[] = [Promise.resolve(pieces)]
    for (;;) {
      while (converting.length <= CHUNKS_AHEAD) converting.push(convertNext())
      const converted = await converting.shift()
      if (converted === undefined) break
      if (converted.length > 0) yield converted
    }
    if (size !== undefined) refuseMissingObjects(objectType.apiName, count, size)
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
  const version = ShownVersion.read([objectType], first.version)
  if (spec.endLine && writer.endLines) yield writer.endLines.end(count, version?.number ?? 0)
}

/** Converts a chunk, whose memory is released at once. */
async function convertChunk(body: ExportBody, chunk: ExportChunk): Promise<Piece> {
  try {
    return chunk.count === 0 ? '' : body.records(chunk)
  } finally {
    chunk.release()
  }
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

/** Throws if an export of all objects has another number of them than the type. */
export function refuseMissingObjects(objectType: string, exported: number, stored: number): void {
  if (exported === stored) return
  throw new ObjectQueryError('StoredObjectDamaged', {
    objectType,
    reason: `the type has ${stored} objects, and ${exported} were found`,
  })
}

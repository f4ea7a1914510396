/** Exports to Parquet. The service sends NDJSON, which is counted and resumed like any other export. */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { readDefinition } from '../import/read-definition.ts'
import { type ExportProgress, type ExportRequest, exportObjects } from './export-objects.ts'
import { ParquetRows } from './parquet-rows.ts'

export async function exportParquet(
  client: Endpoints,
  request: Omit<ExportRequest, 'format'>,
  write: (bytes: Uint8Array) => Promise<void>,
  onProgress: (progress: ExportProgress) => void,
): Promise<ExportProgress> {
  const { ontology, objectType, select } = request
  const definition = await readDefinition(client.administration, ontology)
  const type = definition?.objectTypes.find(({ apiName }) => apiName === objectType)
  // The export names what is missing.
  if (type === undefined) {
    const sink = { begin: async () => {}, write: async () => {} }
    return exportObjects(client, { ...request, format: 'ndjson' }, sink)
  }
  let bytes = 0
  const rows = new ParquetRows(type, select?.split(','), async (piece) => {
    await write(piece)
    bytes += piece.length
  })
  const sink = { begin: async () => {}, write: (piece: Uint8Array) => rows.add(piece) }
  const { objects } = await exportObjects(client, { ...request, format: 'ndjson' }, sink, {
    onProgress: (progress) => onProgress({ ...progress, bytes }),
  })
  await rows.finish()
  return { objects, bytes }
}

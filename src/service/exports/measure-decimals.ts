/**
 * The first pass over the objects of an export whose format has to know the digits of decimals before the first
 * object. It reads the version that is exported.
 */
import { hasDecimals, type MeasuredDigits } from '../../formats/decimal-digits.ts'
import { DecimalMeter } from '../../formats/decimal-meter.ts'
import type { TableColumn } from '../../formats/table-file.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { checkRecords } from './check-records.ts'
import type { ExportSpec } from './export-spec.ts'
import { type ExportChunk, readChunk, readChunks } from './read-chunks.ts'

export async function measureDecimals(
  spec: ExportSpec,
  columns: readonly TableColumn[],
  { version, linkedVersions = spec.linkedVersions }: ExportChunk,
  context: ServiceContext,
  services: ServiceParts,
): Promise<MeasuredDigits> {
  const decimals = columns.filter(({ type }) => hasDecimals(type))
  if (decimals.length === 0) return {}
  // Reading whole objects takes half of the time that the database needs to select from them.
  const selection = spec.selection && decimals.map(({ name }) => name)
  const meter = new DecimalMeter(selection === undefined ? columns : decimals)
  const add = ({ records, count, check, release }: ExportChunk) => {
    try {
      // Checked records are in no cache, so the plain ones may take their place.
      const plain = Buffer.from(records.buffer as ArrayBuffer, records.byteOffset, records.length)
      if (count > 0) meter.add(checkRecords(records, check, plain))
    } finally {
      release()
    }
  }
  // In key order, which is the fastest.
  const pass: ExportSpec = { ...spec, order: [], selection, linkedVersions }
  const start = { after: spec.after, version, received: spec.received }
  const first = await readChunk(pass, start, context, services)
  add(first)
  for await (const chunk of readChunks(pass, first, context, services)) add(chunk)
  return meter.digits
}

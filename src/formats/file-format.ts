/** Detects the format and the compression of a file from its name, then from its first bytes. */
import { showUtf8 } from './utf8.ts'

export type FileFormat = 'csv' | 'tsv' | 'ndjson' | 'json' | 'parquet'

export type Compression = 'gzip' | 'zstd'

const COMPRESSION_BY_ENDING: Readonly<Record<string, Compression>> = {
  gz: 'gzip',
  gzip: 'gzip',
  zst: 'zstd',
  zstd: 'zstd',
}

const FORMAT_BY_ENDING: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  geojson: 'json',
  geojsonl: 'ndjson',
  parquet: 'parquet',
}

/** Reads the extensions of a file name, such as `flights.csv.gz`. */
export function formatOfName(name: string): {
  readonly format: FileFormat | undefined
  readonly compression: Compression | undefined
} {
  const [last = '', beforeLast = ''] = name.toLowerCase().split('.').slice(1).reverse()
  const compression = COMPRESSION_BY_ENDING[last]
  return { format: FORMAT_BY_ENDING[compression === undefined ? last : beforeLast], compression }
}

/** The number of bytes that identify a compression. */
export const COMPRESSION_BYTES = 4

export function compressionOfBytes(head: Uint8Array): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head.length < COMPRESSION_BYTES) return undefined
  const magic = new DataView(head.buffer, head.byteOffset).getUint32(0, true)
  // A zstd file can start with a skippable frame.
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5 ? 'zstd' : undefined
}

/** True if the beginning of a file is long enough to detect its format. */
export function canDetectFormat(head: Uint8Array): boolean {
  const start = head.findIndex((byte) => !isSpace(byte))
  return head.length >= COMPRESSION_BYTES && start !== -1 && head.includes(NEWLINE, start)
}

/** The beginning of a GeoJSON collection, which may be one long line. */
const COLLECTION =
  /^\{(?:[^{]*"type"\s*:\s*"FeatureCollection"|\s*"features"\s*:\s*\[\s*\{\s*"type"\s*:\s*"Feature")/

/** Detects the format; `.json` can be one array or NDJSON, so the content decides. */
export function formatOfBytes(head: Uint8Array, named: FileFormat | undefined): FileFormat {
  if (isParquet(head)) return 'parquet'
  if (named !== undefined && named !== 'json') return named
  const text = showUtf8(head, head.length).trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return named ?? 'csv'
  if (COLLECTION.test(text)) return 'json'
  // An object over several lines is not NDJSON; the JSON array reader reports that.
  const end = text.indexOf('\n')
  return end === -1 || isJson(text.slice(0, end)) ? 'ndjson' : 'json'
}

const NEWLINE = 0x0a

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

export function isParquet(head: Uint8Array): boolean {
  return startsWith(head, 'PAR1')
}

/** True for a ZIP archive, which is what Excel and LibreOffice write. */
export function isZip(head: Uint8Array): boolean {
  return startsWith(head, 'PK\x03\x04')
}

function startsWith(head: Uint8Array, magic: string): boolean {
  return [...magic].every((letter, index) => head[index] === letter.charCodeAt(0))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

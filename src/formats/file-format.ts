/** Detects the format and the compression of a file from its name, then from its first bytes. */

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

export function compressionOfBytes(head: Buffer): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head.length < COMPRESSION_BYTES) return undefined
  const magic = head.readUInt32LE(0)
  // A zstd file can start with a skippable frame.
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5 ? 'zstd' : undefined
}

/** True if the beginning of a file is long enough to detect its format. */
export function canDetectFormat(head: Buffer): boolean {
  return head.length >= COMPRESSION_BYTES && head.toString('latin1').trimStart().includes('\n')
}

/** Detects the format; `.json` can be one array or NDJSON, so the content decides. */
export function formatOfBytes(head: Buffer, named: FileFormat | undefined): FileFormat {
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet'
  if (named !== undefined && named !== 'json') return named
  const text = head.toString('utf8').trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return named ?? 'csv'
  // An object over several lines is not NDJSON; the JSON array reader reports that.
  const end = text.indexOf('\n')
  return end === -1 || isJson(text.slice(0, end)) ? 'ndjson' : 'json'
}

/** Detects a UTF-16 byte order mark; some programs call UTF-16 "Unicode". */
export function isUtf16(head: Buffer): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Which format a file has: by its name, otherwise by what it holds. */

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

/** What the endings of a name say, `flights.csv.gz` for example. */
export function formatOfName(name: string): {
  readonly format: FileFormat | undefined
  readonly compression: Compression | undefined
} {
  const [last = '', beforeLast = ''] = name.toLowerCase().split('.').slice(1).reverse()
  const compression = COMPRESSION_BY_ENDING[last]
  return { format: FORMAT_BY_ENDING[compression === undefined ? last : beforeLast], compression }
}

/** Bytes that tell a compression. */
export const COMPRESSION_BYTES = 4

export function compressionOfBytes(head: Buffer): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head.length < COMPRESSION_BYTES) return undefined
  const magic = head.readUInt32LE(0)
  // A frame that is to be passed over can come first.
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5 ? 'zstd' : undefined
}

/** True if nothing that follows can change what the beginning of a file says about its format. */
export function tellsFormat(head: Buffer): boolean {
  return head.length >= COMPRESSION_BYTES && head.toString('latin1').trimStart().includes('\n')
}

/** A name only says JSON: whether in one array or in lines shows in the file. */
export function formatOfBytes(head: Buffer, named: FileFormat | undefined): FileFormat {
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet'
  if (named !== undefined && named !== 'json') return named
  const text = head.toString('utf8').trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return named ?? 'csv'
  // An object over several lines is no NDJSON; the reader of arrays says so.
  const end = text.indexOf('\n')
  return end === -1 || isJson(text.slice(0, end)) ? 'ndjson' : 'json'
}

/** UTF-16 is what some programs call Unicode. */
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

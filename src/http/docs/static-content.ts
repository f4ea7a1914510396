import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { digest } from '../entity-tag.ts'

/** Bytes that are the same for everybody, compressed once and sent from memory. */

/** The codings that are kept, best first. */
export const CONTENT_CODINGS = ['br', 'gzip'] as const
export type ContentCoding = (typeof CONTENT_CODINGS)[number]

/** The same content in one coding. */
export interface Representation {
  readonly bytes: Buffer
  /** Strong, and therefore another one for each coding. */
  readonly tag: string
}

export interface StaticContent {
  readonly type: string
  readonly identity: Representation
  /** Only codings that make the content smaller. */
  readonly encoded: ReadonlyMap<ContentCoding, Representation>
}

export interface ContentInput {
  readonly type: string
  readonly text: string | Uint8Array
}

/** Smaller content travels in one packet anyway. */
const COMPRESS_FROM_BYTES = 1024
/** Higher levels take seconds for the largest script and save a tenth of it. */
const BROTLI_QUALITY = 6

const compressions: Readonly<Record<ContentCoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
}

/** Compresses content in every coding, in the thread pool. */
export async function compressContent({ type, text }: ContentInput): Promise<StaticContent> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer)
  const name = digest(bytes)
  const encoded = new Map<ContentCoding, Representation>()
  if (bytes.length >= COMPRESS_FROM_BYTES) {
    for (const coding of CONTENT_CODINGS) {
      const compressed = await compressions[coding](bytes)
      encoded.set(coding, { bytes: compressed, tag: `"${name}-${coding}"` })
    }
  }
  return { type, identity: { bytes, tag: `"${name}"` }, encoded }
}

/** Returns a function that makes a value once; callers meanwhile share the attempt. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      // The next caller tries again.
      made = undefined
      throw error
    })
    return made
  }
}

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { chooseCoding } from './content-coding.ts'
import { digest, isNotModified } from './send-data.ts'

/** A file that is the same for every client. It is compressed once, then sent from memory. */
export interface StaticFile {
  readonly contentType: string
  readonly identity: Representation
  /** Empty if the file is too small to compress. */
  readonly compressed: Readonly<Partial<Record<Coding, Representation>>>
}

/** The bytes of a file in one content coding. */
interface Representation {
  readonly bytes: Uint8Array
  /** A strong entity tag, so each coding has its own. */
  readonly tag: string
}

/** The supported content codings, best first. */
const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

/** A smaller file fits into one packet uncompressed. */
const COMPRESS_FROM_BYTES = 1400
/** Quality 11 takes ten seconds for the largest file (4 MB) and makes it only an eighth smaller. */
const BROTLI_QUALITY = 6

const COMPRESSIONS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
}

/** Returns a file in every coding. Compresses in the thread pool. */
export async function compressFile(
  contentType: string,
  content: string | Buffer,
): Promise<StaticFile> {
  const bytes = Buffer.from(content)
  const name = digest(bytes)
  const compressed: Partial<Record<Coding, Representation>> = {}
  if (bytes.length >= COMPRESS_FROM_BYTES) {
    for (const coding of CODINGS) {
      compressed[coding] = { bytes: await COMPRESSIONS[coding](bytes), tag: `"${name}-${coding}"` }
    }
  }
  return { contentType, identity: { bytes, tag: `"${name}"` }, compressed }
}

/** Unless the caller says otherwise: shared caches keep the file, and revalidate it for every use. */
const CACHE_CONTROL = 'public, no-cache'

/** Sends a file in the best coding that the client accepts, or 304 if its copy is current. */
export function sendStatic(
  reply: FastifyReply,
  { contentType, identity, compressed }: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  const coding = chooseCoding(reply.request.headers, CODINGS)
  const chosen = coding === undefined ? undefined : compressed[coding]
  const { bytes, tag } = chosen ?? identity
  reply.headers({
    'cache-control': CACHE_CONTROL,
    ...headers,
    etag: tag,
    vary: 'accept-encoding',
    ...(coding === undefined || chosen === undefined ? {} : { 'content-encoding': coding }),
  })
  if (isNotModified(reply, tag)) return reply.code(304).send()
  return reply.type(contentType).send(bytes)
}

/**
 * Compresses large pages and aggregations for clients that ask for it, in the thread pool. The levels
 * are the cheapest of each coding: a higher one costs a multiple, and saves a few percent.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import { chooseCoding } from './content-coding.ts'

/** A smaller body is sent faster than it is compressed, except over very slow connections. */
export const COMPRESS_FROM_BYTES = 65_536

/** The cheapest first: milliseconds of CPU time for 2.7 MB, and the part of the bytes that is left. */
const COMPRESSORS = {
  /** 6 ms, 21 %. */
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  /** 18 ms, 22 %. */
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  /** 25 ms, 24 %. */
  gzip: () => createGzip({ level: 1 }),
} as const

type Coding = keyof typeof COMPRESSORS
const CODINGS = Object.keys(COMPRESSORS) as Coding[]

/** Returns the coding for a body of this size; undefined to send it as it is. */
export function codingFor(headers: IncomingHttpHeaders, bytes: number): Coding | undefined {
  return bytes < COMPRESS_FROM_BYTES ? undefined : chooseCoding(headers, CODINGS)
}

export function createCompressor(coding: Coding): Transform {
  return COMPRESSORS[coding]()
}

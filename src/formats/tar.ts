/** Headers of tar archives: POSIX ustar, with the extensions for long names and large files. */

import { UnreadableFile } from './row.ts'
import { concatBytes } from './utf8.ts'

export const TAR_BLOCK = 512
/** An archive ends with two blocks of zeros. */
export const TAR_END = new Uint8Array(2 * TAR_BLOCK)

const NAME_BYTES = 100
const MAX_OCTAL_SIZE = 8 ** 11 - 1

/** Returns the bytes that fill the last block of a file. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK)
}

/** Returns the header of a file; a long name precedes it as an extended header. */
export function tarHeader(name: string, size: number, modified: Date): Uint8Array {
  const bytes = new TextEncoder().encode(name)
  const header = headerBlock(bytes.subarray(0, NAME_BYTES), size, modified, '0')
  if (bytes.length <= NAME_BYTES) return header
  const record = paxRecord('path', name)
  return concatBytes([
    headerBlock(new TextEncoder().encode('PaxHeader'), record.length, modified, 'x'),
    record,
    tarPadding(record.length),
    header,
  ])
}

/** A record states its own length, including the digits of the length. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = new TextEncoder().encode(` ${key}=${value}\n`)
  let length = rest.length
  while (String(length).length + rest.length !== length) {
    length = String(length).length + rest.length
  }
  return concatBytes([new TextEncoder().encode(String(length)), rest])
}

function headerBlock(name: Uint8Array, size: number, modified: Date, type: string): Uint8Array {
  const block = new Uint8Array(TAR_BLOCK)
  const text = (at: number, value: string) => block.set(new TextEncoder().encode(value), at)
  block.set(name, 0)
  text(100, '0000644\0')
  text(108, '0000000\0')
  text(116, '0000000\0')
  if (size <= MAX_OCTAL_SIZE) text(124, `${size.toString(8).padStart(11, '0')} `)
  else writeBinarySize(block, size)
  const seconds = Math.floor(modified.getTime() / 1000)
  text(136, `${seconds.toString(8).padStart(11, '0')} `)
  text(156, type)
  text(257, 'ustar\x0000')
  text(148, `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** Sizes of 8 GiB and more are binary, with the highest bit set. */
function writeBinarySize(block: Uint8Array, size: number): void {
  block[124] = 0x80
  new DataView(block.buffer).setBigUint64(128, BigInt(size))
}

/** The sum of all bytes, with spaces in place of the checksum. */
function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)
}

export interface TarEntry {
  /** `file`, or the kind of header that describes the next entry. */
  readonly kind: 'file' | 'pax' | 'long name' | 'other'
  readonly name: string
  readonly size: number
}

/** Reads a header; undefined at the end of the archive. */
export function readTarHeader(block: Uint8Array): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  if (Number.parseInt(textAt(block, 148, 8), 8) !== checksumOf(block)) {
    throw new UnreadableFile('is not a tar archive, or is damaged')
  }
  const prefix = textAt(block, 257, 5) === 'ustar' ? textAt(block, 345, 155) : ''
  const name = textAt(block, 0, NAME_BYTES)
  return {
    kind: KINDS[String.fromCharCode(block[156] ?? 0)] ?? 'other',
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: readSize(block),
  }
}

const KINDS: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  x: 'pax',
  L: 'long name',
}

function readSize(block: Uint8Array): number {
  const isBinary = ((block[124] ?? 0) & 0x80) !== 0
  const size = isBinary
    ? Number(new DataView(block.buffer, block.byteOffset).getBigUint64(128))
    : Number.parseInt(textAt(block, 124, 12).trim() || '0', 8)
  // A negative size would send the reader back to an earlier header, again and again.
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new UnreadableFile('is damaged: a size is not a number')
  }
  return size
}

function textAt(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end))
}

/** Returns the path and the size that an extended header states. */
export function readPaxRecords(bytes: Uint8Array): { path?: string; size?: number } {
  const records = new TextDecoder().decode(bytes)
  const path = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1]
  const size = /(?:^|\n)\d+ size=(\d+)\n/.exec(records)?.[1]
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: Number(size) }),
  }
}

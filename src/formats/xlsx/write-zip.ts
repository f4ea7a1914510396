/**
 * Writes a zip archive from its beginning to its end. The size of an entry is known after its bytes
 * have been sent, so a descriptor that follows them states it.
 */
import { constants, crc32, createDeflateRaw } from 'node:zlib'
import type { WriteBytes } from '../table-file.ts'

/** Sizes and offsets have 32 bits; beyond that, archives have a form that not every program reads. */
const ZIP_MAX_BYTES = 2 ** 32 - 1

const SIGNATURES = { entry: 0x04034b50, size: 0x08074b50, listed: 0x02014b50, end: 0x06054b50 }
const VERSION = 20
/** The size follows the bytes, and names are UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** 1 January 1980, the first day that archives know: a file does not depend on when it was written. */
const TIME = 0
const DATE = 0x21

interface WrittenEntry {
  readonly name: Buffer
  readonly offset: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
}

/** An entry that is being written. */
export interface ZipEntry {
  write(text: string): Promise<void>
  end(): Promise<void>
}

export class ZipWriter {
  readonly #send: WriteBytes
  readonly #entries: WrittenEntry[] = []
  #offset = 0

  constructor(send: WriteBytes) {
    this.#send = send
  }

  /** Adds a small entry. */
  async add(name: string, text: string): Promise<void> {
    const entry = await this.open(name)
    await entry.write(text)
    await entry.end()
  }

  /** Starts an entry. The one before must have ended. */
  async open(name: string): Promise<ZipEntry> {
    const offset = this.#offset
    const nameBytes = Buffer.from(name)
    await this.#write(
      record(
        [SIGNATURES.entry, 4],
        [VERSION, 2],
        ...common({ crc: 0, compressed: 0, size: 0, name: nameBytes }),
      ),
      nameBytes,
    )
    const start = this.#offset
    let [crc, size] = [0, 0]
    let pieces: Buffer[] = []
    // Compresses on another thread. The fastest level: texts of a table shrink well anyway.
    const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED })
    deflate.on('data', (piece: Buffer) => pieces.push(piece))
    const flush = async () => {
      const ready = pieces
      pieces = []
      await this.#write(...ready)
    }
    return {
      write: async (text) => {
        const bytes = Buffer.from(text)
        crc = crc32(bytes, crc)
        size += bytes.length
        await new Promise<void>((resolve) => deflate.write(bytes, () => resolve()))
        await flush()
      },
      end: async () => {
        await new Promise<void>((resolve) => {
          deflate.once('end', () => resolve())
          deflate.end()
        })
        await flush()
        const compressed = this.#offset - start
        await this.#write(record([SIGNATURES.size, 4], [crc, 4], [compressed, 4], [size, 4]))
        this.#entries.push({ name: nameBytes, offset, crc, compressed, size })
      },
    }
  }

  /** Writes the list of entries, with which an archive ends. */
  async finish(): Promise<void> {
    const start = this.#offset
    for (const entry of this.#entries) {
      const head = [[SIGNATURES.listed, 4], [VERSION, 2], [VERSION, 2], ...common(entry)] as const
      // Comment, disk and attributes: none.
      const rest = [
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 4],
        [entry.offset, 4],
      ] as const
      await this.#write(record(...head, ...rest), entry.name)
    }
    const count = this.#entries.length
    const listBytes = this.#offset - start
    await this.#write(
      record(
        [SIGNATURES.end, 4],
        [0, 2],
        [0, 2],
        [count, 2],
        [count, 2],
        [listBytes, 4],
        [start, 4],
        [0, 2],
      ),
    )
  }

  async #write(...pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      this.#offset += piece.length
      if (this.#offset > ZIP_MAX_BYTES) {
        throw new Error('the file would have more than 4 GiB; export as Parquet, CSV or NDJSON')
      }
      await this.#send(piece)
    }
  }
}

type Field = readonly [value: number, bytes: 2 | 4]

/** Returns the fields that an entry and its line in the list share. */
function common({ crc, compressed, size, name }: Omit<WrittenEntry, 'offset'>): readonly Field[] {
  return [
    [FLAGS, 2],
    [DEFLATED, 2],
    [TIME, 2],
    [DATE, 2],
    [crc, 4],
    [compressed, 4],
    [size, 4],
    [name.length, 2],
    [0, 2],
  ]
}

function record(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [, length]) => sum + length, 0))
  let at = 0
  for (const [value, length] of fields) at = bytes.writeUIntLE(value, at, length)
  return bytes
}

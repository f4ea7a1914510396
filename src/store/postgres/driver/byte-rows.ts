/**
 * Rows whose values stay the bytes that the database sent. The driver decodes every value to a
 * string, even in binary form; for a page this would decode each record and encode it again.
 *
 * The incoming stream is split into messages before the driver sees it. Binary rows are passed to
 * the query directly, all other messages go to the parser of the driver.
 */
import { EventEmitter } from 'node:events'
import type { Connection, FieldDef } from 'pg'

/** The columns of a row, in the order of the statement. */
export type ByteRow = readonly (Buffer | null)[]

/** Query options that request values in binary form and disable their decoding. */
export const AS_BYTES = {
  binary: true,
  // The simple query protocol, which the driver uses without values, supports text only.
  queryMode: 'extended',
  types: { getTypeParser: () => (value: unknown) => value },
}

/** Marks memory that holds a single chunk of a socket, so that it can be released as a whole. */
const IS_CHUNK = Symbol('isChunk')

type ChunkMemory = ArrayBufferLike & { [IS_CHUNK]?: true }

/**
 * Releases the memory of rows that are no longer used. Leaving it to the garbage collector costs
 * more than reading the rows.
 */
export function freeRows(rows: readonly ByteRow[]): void {
  let seen: ChunkMemory | undefined
  for (const row of rows) {
    for (const value of row) {
      if (value === null || value.buffer === seen) continue
      seen = value.buffer
      // Rows that were merged come from several connections in turn.
      if (seen instanceof ArrayBuffer && seen[IS_CHUNK] && !seen.detached) seen.transfer(0)
    }
  }
}

/** A part of the driver's connection that is missing in its types. */
interface ListeningConnection extends Connection {
  /** Called once with the stream of messages: the socket, or the TLS stream on top of it. */
  attachListeners(stream: Pick<EventEmitter, 'on'>): void
}

const ROW_DESCRIPTION = 0x54
const DATA_ROW = 0x44

/** Passes binary rows to queries as bytes. Must be called before the connection is opened. */
export function passBinaryRows(connection: Connection): void {
  const listening = connection as ListeningConnection
  const attachParser = listening.attachListeners.bind(listening)
  let isBinary = false
  listening.on('rowDescription', ({ fields }: { readonly fields: readonly FieldDef[] }) => {
    isBinary = fields.length > 0 && fields.every(({ format }) => format === 'binary')
  })
  listening.attachListeners = (stream) => {
    const others = new EventEmitter()
    attachParser(others)
    const passOn = (bytes: Buffer) => {
      if (bytes.length > 0) others.emit('data', bytes)
    }
    const messages = new MessageCutter((bytes) => {
      // Adjacent messages are passed on together.
      let passed = 0
      for (let at = 0; at < bytes.length; ) {
        const end = at + messageLength(bytes, at)
        const code = bytes[at]
        if (isBinary && code === DATA_ROW) {
          passOn(bytes.subarray(passed, at))
          listening.emit('dataRow', {
            name: 'dataRow',
            fields: readFields(bytes, at + HEADER_BYTES),
          })
          passed = end
        } else if (code === ROW_DESCRIPTION) {
          // The driver must see it before the rows that follow, because it says whether they are binary.
          passOn(bytes.subarray(passed, end))
          passed = end
        }
        at = end
      }
      passOn(bytes.subarray(passed))
    })
    stream.on('data', (chunk: Buffer) => {
      if (chunk.length === chunk.buffer.byteLength) (chunk.buffer as ChunkMemory)[IS_CHUNK] = true
      messages.push(chunk)
    })
    stream.on('end', () => others.emit('end'))
  }
}

function readFields(bytes: Buffer, start: number): ByteRow {
  const count = bytes.readInt16BE(start)
  const fields = new Array<Buffer | null>(count)
  let at = start + 2
  for (let index = 0; index < count; index++) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length === -1) {
      fields[index] = null
      continue
    }
    fields[index] = bytes.subarray(at, at + length)
    at += length
  }
  return fields
}

/** A type byte, then four bytes with the length, which includes themselves. */
const HEADER_BYTES = 5

function messageLength(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1)
}

/** Passes on whole messages only, and joins those that arrive in pieces. */
export class MessageCutter {
  readonly #take: (wholeMessages: Buffer) => void
  /** The beginning of a message that is not complete yet. */
  #pieces: Buffer[] = []
  #held = 0

  constructor(take: (wholeMessages: Buffer) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    let bytes = chunk
    if (this.#held > 0) {
      const rest = this.#complete(bytes)
      if (rest === undefined) return
      bytes = rest
    }
    let end = 0
    while (end + HEADER_BYTES <= bytes.length) {
      const next = end + messageLength(bytes, end)
      if (next > bytes.length) break
      end = next
    }
    if (end > 0) this.#take(bytes.subarray(0, end))
    if (end < bytes.length) this.#hold(bytes.subarray(end))
  }

  /** Returns the bytes after the incomplete message; undefined if it is still incomplete. */
  #complete(bytes: Buffer): Buffer | undefined {
    if (this.#held < HEADER_BYTES) {
      const joined = Buffer.concat([...this.#pieces, bytes])
      this.#pieces = []
      this.#held = 0
      return joined
    }
    const [first = bytes] = this.#pieces
    const missing = messageLength(first, 0) - this.#held
    this.#hold(bytes.subarray(0, missing))
    if (bytes.length < missing) return undefined
    const message = Buffer.concat(this.#pieces, this.#held)
    this.#pieces = []
    this.#held = 0
    this.#take(message)
    return bytes.subarray(missing)
  }

  /** Copies the piece, because `freeRows` releases the memory of its whole chunk. */
  #hold(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece))
    this.#held += piece.length
  }
}

/**
 * Rows whose values stay the bytes that the database sent. The driver decodes every value to a
 * string, even in binary form; for a page this would decode each record and encode it again.
 *
 * The incoming stream is split into messages before the driver sees it. Binary rows are passed to
 * the query directly, all other messages go to the parser of the driver.
 */
import { EventEmitter } from 'node:events'
import type { Connection, FieldDef } from 'pg'
import { HEADER_BYTES, MessageCutter, messageLength } from './message-cutter.ts'

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
      if (seen instanceof ArrayBuffer && seen[IS_CHUNK]) seen.transfer(0)
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

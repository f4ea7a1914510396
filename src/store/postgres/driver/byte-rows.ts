import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Connection, FieldDef } from 'pg'
import { HEADER_BYTES, MessageCutter, messageLength } from './message-cutter.ts'

/**
 * Rows whose values stay the bytes that the database sent. The driver makes a text of every value,
 * also of one that was asked for in binary form; for a page that means making a string of each
 * record, and bytes of it again.
 *
 * What the server sends is cut into its messages before the driver sees it. Rows in binary form are
 * told to the driver's query from here; everything else goes to the driver's own parser.
 */

/** A row: its columns, in the order of the statement. */
export type ByteRow = readonly (Buffer | null)[]

/** Asks the driver for values in binary form, and to leave them as they came. */
export const AS_BYTES = {
  binary: true,
  // A statement without values would be sent in a way that knows only text.
  queryMode: 'extended',
  types: { getTypeParser: () => (value: unknown) => value },
}

/** What came from a socket in one piece, and nothing else lies in. */
const chunks = new WeakSet<ArrayBufferLike>()

/**
 * Gives back the memory of rows that nobody looks at any more: like that of a page, it costs more
 * to let the garbage collector find it than to read it.
 */
export function freeRows(rows: readonly ByteRow[]): void {
  let seen: ArrayBufferLike | undefined
  for (const row of rows) {
    for (const value of row) {
      if (value === null || value.buffer === seen) continue
      seen = value.buffer
      if (seen instanceof ArrayBuffer && chunks.has(seen)) seen.transfer(0)
    }
  }
}

/** What a connection of the driver is, beyond what its types tell. */
interface ListeningConnection extends Connection {
  /** Called once, with what messages come on: the socket, or the encrypted stream on top of it. */
  attachListeners(stream: Pick<Duplex, 'on'>): void
}

const ROW_DESCRIPTION = 0x54
const DATA_ROW = 0x44

/** Lets rows in binary form through as bytes. To be called before the connection is opened. */
export function passBytes(connection: Connection): void {
  const listening = connection as ListeningConnection
  const attachParser = listening.attachListeners.bind(listening)
  let isBinary = false
  listening.on('rowDescription', ({ fields }: { readonly fields: readonly FieldDef[] }) => {
    isBinary = fields.length > 0 && fields.every(({ format }) => format === 'binary')
  })
  listening.attachListeners = (stream) => {
    const others = new EventEmitter()
    attachParser(others as unknown as Duplex)
    const passOn = (bytes: Buffer) => {
      if (bytes.length > 0) others.emit('data', bytes)
    }
    const messages = new MessageCutter((bytes) => {
      // Messages that lie side by side are passed on together.
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
          // It tells in which form the rows behind it come.
          passOn(bytes.subarray(passed, end))
          passed = end
        }
        at = end
      }
      passOn(bytes.subarray(passed))
    })
    stream.on('data', (chunk: Buffer) => {
      if (chunk.length === chunk.buffer.byteLength) chunks.add(chunk.buffer)
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

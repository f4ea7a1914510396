/** Sends messages over a socket: each is a frame of its length and its bytes. */
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

const LENGTH_BYTES = 4

export function sendFrame(socket: Socket, message: unknown): void {
  if (socket.destroyed) return
  const bytes = serialize(message)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(bytes.length)
  socket.cork()
  socket.write(length)
  socket.write(bytes)
  socket.uncork()
}

/** Calls a function with each message that arrives. */
export function onFrames(socket: Socket, receive: (message: unknown) => void): void {
  let chunks: Buffer[] = []
  let received = 0
  let needed = LENGTH_BYTES
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    received += chunk.length
    if (received < needed) return
    let bytes = Buffer.concat(chunks)
    for (;;) {
      needed = LENGTH_BYTES + (bytes.length < LENGTH_BYTES ? 0 : bytes.readUInt32LE())
      if (bytes.length < Math.max(needed, LENGTH_BYTES + 1)) break
      receive(deserialize(bytes.subarray(LENGTH_BYTES, needed)))
      bytes = bytes.subarray(needed)
    }
    chunks = bytes.length === 0 ? [] : [bytes]
    received = bytes.length
  })
}

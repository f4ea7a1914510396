import { expect, it } from 'vitest'
import { MessageCutter } from './byte-rows.ts'

function message(code: string, text: string): Buffer {
  const bytes = Buffer.alloc(5 + text.length)
  bytes.write(code)
  bytes.writeUInt32BE(4 + text.length, 1)
  bytes.write(text, 5)
  return bytes
}

/** A chunk with its own memory, like a chunk of a socket. */
function chunk(...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(parts)
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

it('keeps the beginning of a message when the memory of its chunk is released', () => {
  const taken: string[] = []
  const messages = new MessageCutter((bytes) => taken.push(bytes.toString('latin1')))
  const row = message('D', 'a row')
  const notice = message('N', 'a notice')
  for (const cut of [1, 4, 5, 6, 12]) {
    const first = chunk(row, notice.subarray(0, cut))
    messages.push(first)
    structuredClone(first.buffer, { transfer: [first.buffer as ArrayBuffer] })
    messages.push(chunk(notice.subarray(cut), row))
    expect(taken.splice(0).join('')).toBe(Buffer.concat([row, notice, row]).toString('latin1'))
  }
})

import { expect, it } from 'vitest'
import { readTarHeader, tarHeader } from './tar.ts'

/** Returns a header with this text as the size, and the checksum to match. */
function headerWithSize(size: string): Uint8Array {
  const header = tarHeader('a.ndjson', 0, new Date(0))
  header.set(new TextEncoder().encode(size.padEnd(12, ' ')), 124)
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
  return header
}

it('reads the size of a file', () => {
  expect(readTarHeader(headerWithSize('1000'))).toMatchObject({ name: 'a.ndjson', size: 512 })
})

it.each(['-1000', 'x'])('refuses a header with the size %s', (size) => {
  expect(() => readTarHeader(headerWithSize(size))).toThrow('a size is not a number')
})

import { describe, expect, it, vi } from 'vitest'
import { inChunks } from '../../test/support/byte-chunks.ts'
import { LineSplitter, type SplitLine, splitLines } from './lines.ts'

async function linesOf(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number,
): Promise<readonly SplitLine[]> {
  const lines: SplitLine[] = []
  for await (const some of splitLines(chunks, maxLineBytes)) lines.push(...some)
  return lines
}

const MANY_CUTS = [[1], [2], [3, 1], [5], [1000]]

describe('lines', () => {
  it('are numbered, including blank ones', async () => {
    for (const cuts of MANY_CUTS) {
      expect(await linesOf(inChunks('a\n\n b\r\nc', cuts), 100)).toEqual([
        { number: 1, text: 'a' },
        { number: 2, text: '' },
        { number: 3, text: ' b\r' },
        { number: 4, text: 'c' },
      ])
    }
    expect(await linesOf(inChunks(''), 100)).toEqual([])
  })

  it('that are too long are skipped and reported once', async () => {
    for (const cuts of MANY_CUTS) {
      expect(await linesOf(inChunks('12345\n123456\n\n1234567890123\n12', cuts), 5)).toEqual([
        { number: 1, text: '12345' },
        { line: 2, reason: 'is longer than 5 bytes', excerpt: expect.stringContaining('123456') },
        { number: 3, text: '' },
        { line: 4, reason: 'is longer than 5 bytes', excerpt: expect.stringContaining('123456') },
        { number: 5, text: '12' },
      ])
    }
  })

  it('that are not UTF-8 are reported; the others are read', async () => {
    const bytes = Buffer.concat([Buffer.from('é\n'), Buffer.from([0x61, 0xe9, 0x0a, 0x62])])
    for (const cuts of MANY_CUTS) {
      expect(await linesOf(inChunks(bytes, cuts), 100)).toEqual([
        { number: 1, text: 'é' },
        { line: 2, reason: 'is not UTF-8', excerpt: 'a\ufffd', remedy: { do: 'nameEncoding' } },
        { number: 3, text: 'b' },
      ])
    }
  })

  it('of a large chunk are the same as of small ones', async () => {
    const texts = Array.from({ length: 3000 }, (_, number) => 'ä'.repeat((number * 7919) % 300))
    texts[1500] = 'x'.repeat(200_000)
    texts[1501] = ''
    texts[2999] = ''
    const whole = Buffer.from(texts.join('\n'))
    const large = new LineSplitter(300_000).take(whole)
    const splitter = new LineSplitter(300_000)
    const small: SplitLine[] = []
    for (let at = 0; at < whole.length; at += 1000) {
      small.push(...splitter.take(whole.subarray(at, at + 1000)))
    }
    expect(large).toEqual(small)
    expect(large.map((line) => 'text' in line && line.text)).toEqual(texts.slice(0, -1))
  })

  it('of 100 MB are reported as soon as they are too long', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    let chunks = 0
    async function* stream() {
      for (chunks = 1; chunks <= 100; chunks += 1) yield chunk
      yield Buffer.from('\nshort\n')
    }
    const lines = splitLines(stream(), 1024 * 1024)
    expect((await lines.next()).value).toEqual([
      { line: 1, reason: 'is longer than 1048576 bytes', excerpt: `${'x'.repeat(80)}…` },
    ])
    expect(chunks).toBe(2)
    expect((await lines.next()).value).toEqual([{ number: 2, text: 'short' }])
    expect((await lines.next()).done).toBe(true)
  })

  it('in tiny chunks are joined without repeated copies', async () => {
    const line = 'é'.repeat(20_000)
    const copied = countCopiedBytes()
    try {
      for (const cuts of [[1], [3], [7, 1]]) {
        copied.bytes = 0
        expect(await linesOf(inChunks(`${line}\n${line}\n`, cuts), 100_000)).toEqual([
          { number: 1, text: line },
          { number: 2, text: line },
        ])
        // Each byte is copied once when it arrives, and the first line twice more while it grows.
        expect(copied.bytes).toBeGreaterThanOrEqual(80_000)
        expect(copied.bytes).toBeLessThanOrEqual(4 * 80_000)
      }
    } finally {
      copied.stop()
    }
  })
})

/** Counts the bytes that are copied between arrays. */
function countCopiedBytes() {
  const counted = { bytes: 0, stop: () => vi.restoreAllMocks() }
  const { set } = Uint8Array.prototype
  vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (this: Uint8Array, from, at) {
    counted.bytes += from.length
    set.call(this, from, at)
  })
  const { concat } = Buffer
  vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
    counted.bytes += list.reduce((sum, { length: one }) => sum + one, 0)
    return concat(list, length)
  })
  return counted
}

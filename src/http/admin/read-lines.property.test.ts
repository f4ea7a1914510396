import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { readLines } from './read-lines.ts'

const limits = { maxBytes: 10_000, maxLineBytes: 200 }

async function linesOf(chunks: readonly Buffer[], within = limits): Promise<[number, string][]> {
  async function* stream() {
    yield* chunks
  }
  const lines: [number, string][] = []
  for await (const some of readLines(stream(), within)) {
    for (const line of some) {
      lines.push('reason' in line ? [line.line, line.reason] : [line.number, line.text])
    }
  }
  return lines
}

describe('lines of a stream', () => {
  it('are the same for every division of the stream into chunks', async () => {
    const text = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'é', '\u{1f600}', ' ', '\r'), maxLength: 6 }),
      { maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (lines, cuts) => {
          const bytes = Buffer.from(lines.join('\n'))
          const chunks: Buffer[] = []
          for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
            const length = cuts[cut % cuts.length] ?? 1
            chunks.push(bytes.subarray(at, at + length))
            at += length
          }
          const expected = lines
            .map((line, index): [number, string] => [index + 1, line])
            .filter(([, line]) => line.trim() !== '')
          expect(await linesOf(chunks)).toEqual(expected)
        },
      ),
      fcOptions(300),
    )
  })

  it('may be as long as their limit, wherever the chunks end', async () => {
    const fits = Buffer.from(`${'x'.repeat(200)}\n`)
    expect(await linesOf([fits.subarray(0, 150), fits.subarray(150)])).toHaveLength(1)
    const long = Buffer.from(`${'x'.repeat(201)}\n`)
    for (const chunks of [
      [long],
      [long.subarray(0, 150), long.subarray(150)],
      [long.subarray(0, 201)],
    ]) {
      expect(await linesOf(chunks)).toEqual([[1, 'is longer than 200 bytes']])
    }
  })

  it('may have as many bytes in total as the limit', async () => {
    const chunk = Buffer.from(`${'x'.repeat(99)}\n`)
    const exactly = Array.from({ length: 100 }, () => chunk)
    expect(await linesOf(exactly)).toHaveLength(100)
    await expect(linesOf([...exactly, Buffer.from('\n')])).rejects.toMatchObject({
      errorName: 'Default:RequestEntityTooLarge',
    })
  })
})

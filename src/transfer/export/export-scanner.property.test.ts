import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LineFormat } from '../../contract/export-formats.ts'
import { ExportScanner } from './export-scanner.ts'

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '#', '日', ' ') })
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** Records of an export, each with its line feed. */
const records: Readonly<Record<LineFormat, fc.Arbitrary<string[]>>> = {
  ndjson: fc.array(cell.map((text) => `${JSON.stringify({ text })}\n`)),
  csv: fc.array(fc.array(cell, { minLength: 1 }).map((row) => `${row.map(quoted).join(',')}\n`)),
}

/** The bytes, split anywhere, even inside a character. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index]))
}

describe.each(['ndjson', 'csv'] as const)('the scanner of %s', (format) => {
  it('finds the records wherever the bytes are split', () => {
    fc.assert(
      fc.property(records[format], fc.string(), fc.array(fc.nat()), (lines, rest, cuts) => {
        const tail = rest.replaceAll(/["\n]/g, '')
        const scanner = new ExportScanner(format, { isContinuation: true })
        const released = pieces(Buffer.from(lines.join('') + tail), cuts).flatMap((piece) =>
          scanner.push(piece),
        )
        expect(scanner.records).toBe(lines.length)
        expect(Buffer.concat(released).toString()).toBe(lines.slice(0, -1).join(''))
        expect(scanner.held?.toString()).toBe(lines.at(-1))
        expect(scanner.previous?.toString()).toBe(lines.at(-2))
        expect(scanner.tail.toString()).toBe(Buffer.from(tail).toString())
      }),
    )
  })
})

describe('an export of CSV', () => {
  it('does not count the header as a record', () => {
    const scanner = new ExportScanner('csv', { isContinuation: false })
    scanner.push(Buffer.from('ia'))
    scanner.push(Buffer.from('ta,name\nZRH,"Zur'))
    expect([scanner.header?.toString(), scanner.records]).toEqual(['iata,name\n', 0])
    scanner.push(Buffer.from('ich"\n'))
    expect(scanner.records).toBe(1)
  })
})

import fc from 'fast-check'
import { isUnreadable, type ReadRow, type RowSource } from '../../src/formats/row.ts'

/** A text or bytes as a stream, cut after so many bytes each time, over and over. */
export async function* inChunks(
  content: string | Uint8Array,
  cuts: readonly number[] = [7],
): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content)
  for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
    const length = cuts[cut % cuts.length] ?? 1
    yield bytes.subarray(at, at + length)
    at += length
  }
}

export const cutsArbitrary = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })

export async function allRows({ rows }: RowSource): Promise<ReadRow[]> {
  const all: ReadRow[] = []
  for await (const some of rows) all.push(...some)
  return all
}

/** What is in the rows, with the line before it: cells, or why there are none. */
export async function contentOf(source: RowSource): Promise<[number, unknown][]> {
  const rows = await allRows(source)
  return rows.map((row) => [row.line, isUnreadable(row) ? row.reason : row.cells])
}

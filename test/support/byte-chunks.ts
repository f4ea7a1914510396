import fc from 'fast-check'
import { isUnreadable, type ReadRow, type RowSource } from '../../src/formats/row.ts'

/** Yields a text or bytes in chunks of the given lengths, which are repeated. */
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

/** Returns the line of each row with its cells, or with the reason why it is unreadable. */
export async function contentOf(source: RowSource): Promise<[number, unknown][]> {
  const rows = await allRows(source)
  return rows.map((row) => [row.line, isUnreadable(row) ? row.reason : row.cells])
}

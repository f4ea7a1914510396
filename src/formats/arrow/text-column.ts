import { batchType, Column, utf8 } from '@uwdata/flechette'

/** Builds a column of texts. It encodes all of them at once: one by one takes most of an export. */
export function textColumn(texts: readonly (string | null)[]): Column<unknown> {
  const type = utf8()
  const { length } = texts
  if (length === 0) return new Column([], type)
  const present = texts.map((text) => text ?? '')
  const joined = present.join('')
  const values = Buffer.from(joined)
  const isAscii = values.length === joined.length
  const offsets = new Int32Array(length + 1)
  const validity = new Uint8Array(Math.ceil(length / 8))
  let nullCount = 0
  let end = 0
  for (let row = 0; row < length; row += 1) {
    const text = present[row] as string
    end += isAscii ? text.length : Buffer.byteLength(text)
    offsets[row + 1] = end
    if (texts[row] === null) nullCount += 1
    else validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7))
  }
  const Batch = batchType(type)
  const nulls = nullCount === 0 ? new Uint8Array() : validity
  return new Column(
    [new Batch({ length, nullCount, type, validity: nulls, offsets, values })],
    type,
  )
}

import { expect, it } from 'vitest'
import { decodeRow } from './copy-rows.ts'

it('decodes the values of a line', () => {
  const decoded = (line: string) => decodeRow(Buffer.from(`${line}\n`))
  expect(decoded('1\ta b\t\tüñí 🙂')).toEqual(['1', 'a b', '', 'üñí 🙂'])
  expect(decoded(String.raw`\N	\\N	\\\\N	x\ty\nz\\	\b\f\r\v`)).toEqual([
    null,
    String.raw`\N`,
    String.raw`\\N`,
    'x\ty\nz\\',
    '\b\f\r\v',
  ])
  expect(decoded('')).toEqual([''])
})

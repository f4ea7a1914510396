import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../test/support/fc-options.ts'
import { concatBytes, decodeUtf8, showUtf8, utf8Length } from './utf8.ts'

it('counts bytes as they are sent', () => {
  const units = fc.string({
    unit: fc.constantFrom('a', 'é', '日', '\u{1f600}', '\ud800', '\udc00'),
  })
  fc.assert(
    fc.property(units, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text))
    }),
    fcOptions(300),
  )
})

it('decodes strictly, and for messages leniently', () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61])
  expect(decodeUtf8(bytes)).toBe('\ufeffa')
  expect(decodeUtf8(new Uint8Array([0x61, 0xe9]))).toBeUndefined()
  expect(showUtf8(new Uint8Array([0x61, 0xe9, 0x62]), 2)).toBe('a\ufffd')
  expect(concatBytes([bytes.subarray(3), new Uint8Array(0), bytes.subarray(3)])).toEqual(
    new Uint8Array([0x61, 0x61]),
  )
})

import { expect, it } from 'vitest'
import { basePathOf } from './base-path.ts'

it.each([
  ['http://127.0.0.1:8080/assets/index-1.js', ''],
  ['https://example.com/objects/assets/index-1.js', '/objects'],
  ['https://example.com/assets/objects/assets/index-1.js', '/assets/objects'],
  ['file:///checkout/src/explorer/api/base-path.ts', ''],
])('finds the path of the service in %s', (assetUrl, path) => {
  expect(basePathOf(assetUrl)).toBe(path)
})

import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { removeBasePath } from './base-path.ts'

it.each([
  ['/objects', '/'],
  ['/objects/', '/'],
  ['/objects?a=/b', '/?a=/b'],
  ['/objects/api/v1/x?y=1', '/api/v1/x?y=1'],
  ['/objects/objects/x', '/objects/x'],
  ['/objectsx/api', '/objectsx/api'],
  ['/api/v1/x', '/api/v1/x'],
  ['/', '/'],
  ['*', '*'],
])('%s leads to %s', (url, rest) => {
  expect(removeBasePath('/objects')({ url } as IncomingMessage)).toBe(rest)
})

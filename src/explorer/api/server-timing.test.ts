import { expect, it } from 'vitest'
import { serverMs } from '../queries/walk.ts'

it('reads the total of a Server-Timing header', () => {
  expect(serverMs('store;dur=1.25, total;dur=4.50')).toBe(4.5)
  expect(serverMs('app;dur=3')).toBe(3)
  expect(serverMs('app')).toBeUndefined()
  expect(serverMs(null)).toBeUndefined()
})

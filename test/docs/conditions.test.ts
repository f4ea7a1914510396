import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CONDITIONS_PAGE, writeConditions } from '../../scripts/docs/conditions-page.ts'

it('the reference of conditions is what `npm run docs` writes', () => {
  const page = readFileSync(CONDITIONS_PAGE, 'utf8')
  expect(page).toBe(writeConditions(page))
})

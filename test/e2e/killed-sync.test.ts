import { expect, it } from 'vitest'
import { killSyncs } from '../support/killed-sync.ts'

it('loses no change and shows none twice when sync, service and source are killed', async () => {
  const { transactions, reads } = await killSyncs(6)
  expect(transactions).toBeGreaterThan(0)
  expect(reads).toBeGreaterThan(0)
})

import { expect, it } from 'vitest'
import { killService } from '../support/kills/killed-service.ts'
import { createTestStore } from '../support/test-store.ts'

const KILLS = Number(process.env['OQS_TEST_KILLS'] ?? 2)

/** `npm run faults` is the long form. */
it('a killed service has every acknowledged write once, nothing else, and continues snapshot walks', async () => {
  await using store = await createTestStore()
  const report = await killService({ store: store.name, kills: KILLS, objects: 0, seed: 1 })
  expect(report.kills).toHaveLength(KILLS)
  expect(report.acknowledged).toBeGreaterThan(0)
  expect(report.refused).toBeGreaterThan(0)
  expect(report.crossingWalks).toBeGreaterThanOrEqual(KILLS)
})

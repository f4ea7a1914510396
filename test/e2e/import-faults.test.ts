import { expect, it } from 'vitest'
import { fillDisk } from '../support/full-disk.ts'
import { type KilledImport, killImports, killsInEachPhase } from '../support/killed-imports.ts'
import { createTestStore } from '../support/test-store.ts'

/** `npm run faults` is the long form of both. */
it('a killed import leaves the old objects or the new ones, and completes when run again', async () => {
  const killed: KilledImport[] = []
  await killImports(createTestStore, killsInEachPhase(1, 3), (one) => killed.push(one))
  expect(killed.map(({ victim, phase }) => [victim, phase])).toEqual([
    ['command', undefined],
    ['service', 'reading'],
    ['service', 'writing'],
    ['service', 'indexing'],
    ['service', 'publishing'],
  ])
})

it('a full disk rejects writes with advice, keeps what was acknowledged, and can be recovered', async () => {
  const { refused, shown, acknowledged, left, added } = await fillDisk()
  expect(refused).toEqual({
    status: 503,
    reason: expect.stringMatching(/disk.*; (?:free|check) /),
  })
  const writesFail = refused.reason
  expect(shown).toMatchObject({
    ready: { status: 'ok', writesFail },
    status: { reachable: true, writesFail },
    metric: '0',
  })
  expect(acknowledged).toBeGreaterThan(0)
  expect(left).toBe(acknowledged)
  expect(added).toBe(200)
})

import { expect, it } from 'vitest'
import { type KilledImport, killImports } from '../support/killed-imports.ts'

/** `npm run faults` is the long form. */
it('a killed import leaves complete batches, and completes when it is run again', async () => {
  const killed: KilledImport[] = []
  await killImports(4, (one) => killed.push(one))
  expect(killed.map(({ victim, mode }) => `${victim} ${mode}`)).toEqual([
    'service upsert',
    'command upsert',
    'service replace',
    'command replace',
  ])
})

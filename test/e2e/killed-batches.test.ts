import { expect, it } from 'vitest'
import { NumberedBatches } from '../support/numbered-batches.ts'
import { startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

const { settings } = useServiceFolder({ OQS_ADMIN_TOKEN: ADMIN_TOKEN })

it('a service that is killed keeps every acknowledged batch, and no partial one', async () => {
  const kills = Number(process.env['OQS_TEST_KILLS'] ?? 4)
  const batches = new NumberedBatches()
  for (let kill = 0; kill <= kills; kill += 1) {
    await using oqs = startOqs(['serve'], settings({ OQS_LIST_OBJECTS_LIMIT: 'none' }))
    const url = await waitForLine(oqs, 'listening on ')
    if (kill === 0) await batches.define(url)
    expect(await batches.faults(url)).toEqual([])
    if (kill === kills) break

    // Each kill comes at another moment of the batch after the last acknowledged one.
    let acknowledged = 0
    await batches.sendUntilGone(url, async () => {
      acknowledged += 1
      if (acknowledged === 5) setTimeout(() => oqs.child.kill('SIGKILL'), (kill * 7) % 20)
    })
  }
  expect(batches.acknowledged.size).toBeGreaterThan(0)
})

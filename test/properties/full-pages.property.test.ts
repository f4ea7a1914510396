import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { startService } from '../support/service.ts'
import { walkPages } from '../support/walk.ts'

it('[2.1.3] k times the page size makes exactly k pages, in both revisions', async () => {
  await using service = await startService()
  let cases = 0
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      async (pageSize, k) => {
        cases += 1
        const apiName = `numbers-${cases}`
        await service.apply({ ...NUMBERS, apiName, families: [apiName] })
        await service.put(apiName, 'number', numbers(pageSize * k))
        for (const revision of ['1.0', '2.0'] as const) {
          const walk = {
            revision,
            ontology: apiName,
            family: apiName,
            objectType: 'number',
            pageSize,
          }
          expect(await walkPages(service, walk)).toHaveLength(k)
        }
      },
    ),
    fcOptions(20, 15),
  )
})

/** Readers of slices copy a snapshot together, while others write: every object once. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { NUMBERS } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { readSlice, slicesOf } from '../support/slices.ts'

const key = fc.integer({ min: -50, max: 50 })
const change = fc.oneof(
  { weight: 2, arbitrary: fc.record({ n: key, text: fc.string() }).map((put) => ({ put })) },
  { weight: 1, arbitrary: key.map((removed) => ({ delete: removed })) },
)
const batch = fc.uniqueArray(change, {
  minLength: 1,
  maxLength: 20,
  selector: (one) => ('put' in one ? one.put.n : one.delete),
})

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
})
afterAll(() => service[Symbol.asyncDispose]())

it('the union of slices is the snapshot, whatever is written meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { maxLength: 3 }),
      fc.integer({ min: 1, max: 64 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      fc.array(batch, { minLength: 1, maxLength: 6 }),
      async (before, count, pageSizes, meanwhile) => {
        for (const lines of before) await service.write('numbers', 'number', lines)
        const path = '/api/v2/ontologies/numbers/objects/number?snapshot=true&pageSize=10000'
        const { body } = await service.send(path)
        const tokens = await slicesOf(service, 'numbers', 'number', count)
        expect(tokens).toHaveLength(Math.max(1, Math.min(count, body.data.length)))
        const [slices] = await Promise.all([
          Promise.all(
            tokens.map((token, index) =>
              readSlice(
                service,
                'numbers',
                'number',
                token,
                pageSizes[index % pageSizes.length] ?? 1,
              ),
            ),
          ),
          (async () => {
            for (const lines of meanwhile) await service.write('numbers', 'number', lines)
          })(),
        ])
        expect(slices.flatMap(({ records }) => records)).toEqual(body.data)
      },
    ),
    fcOptions(40, 10),
  )
})

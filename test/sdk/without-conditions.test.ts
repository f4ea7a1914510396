/** What React applications start with: the official `@osdk/client` without any condition. */
import { type Client, createClient } from '@osdk/client'
import { createObservableClient } from '@osdk/client/observable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { NumberType } from '../support/sdk-types.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

describe('@osdk/client without conditions', () => {
  let service: Service
  let client: Client
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
    const { body } = await service.send('/api/v2/ontologies/numbers')
    client = createClient(service.url, body.rid, async () => ADMIN_TOKEN)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('fetches and aggregates everything with where({})', async () => {
    const all = client(NumberType).where({})
    expect((await all.fetchPage()).data.map(({ n }) => n)).toEqual([0, 1, 2])
    expect(await all.aggregate({ $select: { $count: 'unordered' } })).toEqual({ $count: 3 })
  })

  it('is told about every change with where({})', async () => {
    const calls: string[] = []
    const { unsubscribe } = client(NumberType)
      .where({})
      .subscribe({
        onChange: ({ object, state }) => calls.push(`${state} ${object.$primaryKey}`),
        onSuccessfulSubscription: () => calls.push('subscribed'),
        onError: ({ error }) => calls.push(`error ${String(error)}`),
      })
    await expect.poll(() => calls).toEqual(['subscribed'])
    await service.write('numbers', 'number', [{ put: { n: 2, text: 'two' } }])
    await expect.poll(() => calls).toEqual(['subscribed', 'ADDED_OR_UPDATED 2'])
    unsubscribe()
  })

  it('observes lists and aggregations', async () => {
    const observable = createObservableClient(client)
    const list: { keys?: readonly unknown[] | undefined } = {}
    const observer = { error: (error: unknown) => Object.assign(list, { error }), complete() {} }
    const listed = observable.observeList<NumberType>(
      { type: NumberType, mode: 'force' },
      {
        ...observer,
        next: (payload) => {
          list.keys = payload?.resolvedList?.map(({ $primaryKey }) => $primaryKey)
        },
      },
    )
    await expect.poll(() => list).toEqual({ keys: [0, 1, 2] })
    listed.unsubscribe()
    const results: unknown[] = []
    const counted = observable.observeAggregation(
      { type: NumberType, aggregate: { $select: { $count: 'unordered' } }, mode: 'force' },
      { ...observer, next: (payload) => results.push(payload?.result) },
    )
    await expect.poll(() => results.at(-1)).toEqual({ $count: 3 })
    counted.unsubscribe()
  })
})

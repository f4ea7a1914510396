import { expect, it } from 'vitest'
import { ReadPool } from './read-pool.ts'
import { SharedReads } from './shared-reads.ts'

const POOL = Object.create(ReadPool.prototype) as ReadPool

it('answers nobody with what was read before they asked', async () => {
  const started: PromiseWithResolvers<string>[] = []
  const reads = new SharedReads<object, string>(() => {
    const one = Promise.withResolvers<string>()
    started.push(one)
    return one.promise
  })
  const key = {}
  const first = reads.read(key, POOL)
  const others = [reads.read(key, POOL), reads.read(key, POOL)]
  const ofOther = reads.read({}, POOL)
  expect(started).toHaveLength(2)
  started[0]?.reject(new Error('lost'))
  started[1]?.resolve('other')
  await expect(first).rejects.toThrow('lost')
  expect(await ofOther).toBe('other')
  expect(started).toHaveLength(3)
  started[2]?.resolve('second')
  expect(await Promise.all(others)).toEqual(['second', 'second'])
  const last = reads.read(key, POOL)
  started[3]?.resolve('third')
  expect(await last).toBe('third')
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { runOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { valuesOf, walkPages } from '../support/walk.ts'

const number = ['delete', '--ontology', 'numbers', '--type', 'number']
const AT_LEAST_5 = JSON.stringify({ type: 'gte', field: 'properties.n', value: 5 })

describe('oqs delete', () => {
  let service: Service
  let settings: Environment
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(10))
    settings = { OQS_URL: service.url, OQS_ADMIN_TOKEN: ADMIN_TOKEN }
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const run = (...args: string[]) => runOqs([...number, ...args], settings)
  const stored = async () =>
    valuesOf(
      await walkPages(service, { revision: '1.0', ontology: 'numbers', objectType: 'number' }),
      'n',
    )

  it('deletes nothing without a confirmation, and says how to give one', async () => {
    for (const [what, question] of [
      [['1', '2'], 'Delete 2 objects of type number from numbers?'],
      [['--query', AT_LEAST_5], 'Delete 5 objects of type number from numbers?'],
    ] as const) {
      const { code, stdout, stderr } = await run(...what)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        `oqs: ${question} Pass --yes to confirm; there is no terminal to ask on.\n`,
      )
    }
    expect(await stored()).toHaveLength(10)
  })

  it('deletes objects by key, all in one commit', async () => {
    const before = await service.write('numbers', 'number', [])
    const { code, stdout, stderr } = await run('1', '2', '2', '99', '--yes')
    expect([code, stdout, stderr]).toEqual([
      0,
      'deleted 2 objects\n',
      'oqs: 1 key matched no object\n',
    ])
    const after = await service.write('numbers', 'number', [])
    expect(after.body.version).toBe(before.body.version + 1)
    expect(await stored()).not.toContain(2)
  })

  it('deletes the matches of a query', async () => {
    const { code, stdout, stderr } = await run('--query', AT_LEAST_5, '--yes')
    expect([code, stdout, stderr]).toEqual([0, 'deleted 5 objects\n', ''])
    expect(await stored()).toEqual([0, 3, 4])
  })

  it('reports wrong usage with status 2, and failures with status 1', async () => {
    for (const args of [[], ['1', '--all'], ['1', '--query', AT_LEAST_5], ['--query', '{']]) {
      const { code, stderr } = await run(...args, '--yes')
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toMatch(/either primary keys, '--query <json>' or '--all'|is invalid/)
    }
    const { code, stderr } = await run('x', '--yes')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^oqs: .*InvalidBatchLine|not an? integer/)
    const unknown = await run('--query', '{}', '--yes')
    expect(unknown.code).toBe(1)
    expect(await stored()).toEqual([0, 3, 4])
  })

  it('empties a type in one commit', async () => {
    const refused = await run('--all')
    expect(refused.stderr).toMatch('Delete 3 objects of type number from numbers?')
    const before = await service.write('numbers', 'number', [])
    expect(await run('--all', '--yes')).toMatchObject({ code: 0, stdout: 'deleted 3 objects\n' })
    const after = await service.write('numbers', 'number', [])
    expect(after.body.version).toBeGreaterThan(before.body.version)
    expect(await stored()).toEqual([])
  })
})

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTurn } from '../../src/admission/next-turn.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { startOqs } from '../support/oqs-process.ts'
import { runCommand, runInProcess } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { startCuttingProxy } from './cutting-proxy.ts'

/** The examples in the help of `oqs ontology change`, on an ontology of that name. */

function aviation(runwayFeet: 'integer' | 'long' | 'date'): OntologyDefinition {
  const properties = { iata: { type: 'string' as const }, runwayFeet: { type: runwayFeet } }
  return {
    apiName: 'aviation',
    objectTypes: [{ apiName: 'airport', primaryKey: 'iata', properties }],
  }
}

let folder: TempFolder
let service: Service
beforeAll(async () => {
  folder = tempFolder()
  service = await startService({ rewrittenAtOnceMax: 0, isMaintainer: false })
  await service.apply(aviation('integer'))
  await service.put('aviation', 'airport', [{ iata: 'ZRH', runwayFeet: 12139 }, { iata: 'GVA' }])
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  vi.stubEnv('OQS_URL', service.url)
  vi.stubEnv('OQS_TOKEN', ADMIN_TOKEN)
})

function fileOf(definition: OntologyDefinition): string {
  const path = join(folder.path, 'aviation.json')
  writeFileSync(path, JSON.stringify(definition))
  return path
}

/** Runs a command that waits, while the service takes all steps. */
async function runWhileChanging(...args: readonly string[]) {
  const run = runInProcess(...args)
  let isDone = false
  const steps = async () => {
    while (!isDone) {
      await service.store.rewriteNext()
      // Without work the store answers at once, and the command must get its turn.
      await nextTurn()
    }
  }
  const done = run.then((result) => {
    isDone = true
    return result
  })
  await Promise.all([done, steps()])
  return done
}

describe('a plan', () => {
  /** Without the progress, which depends on how busy the machine is. */
  const plan = async (...args: readonly string[]) => {
    const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
    const { stderr, ...result } = await runCommand(['ontology', 'plan', ...args], settings)
    return { ...result, stderr: stderr.replaceAll(/^trying .* so far\n/gm, '') }
  }

  it('exits with status 0 if nothing would change, 2 if something, 1 if it would be rejected', async () => {
    const same = await plan(fileOf(aviation('integer')))
    expect(same).toEqual({ code: 0, stdout: 'aviation\nnothing would change\n', stderr: '' })
    const words = await plan(fileOf({ ...aviation('integer'), description: 'Other words.' }))
    expect([words.code, words.stdout]).toEqual([
      2,
      'aviation\nonly names and descriptions would change, or the ontology is new\n',
    ])
    const wider = await plan(fileOf(aviation('long')))
    expect([wider.code, wider.stderr]).toEqual([2, ''])
    expect(wider.stdout).toMatch(/^aviation\nwidened /)
    const misfit = await plan(fileOf(aviation('date')))
    expect([misfit.code, misfit.stderr]).toEqual([
      1,
      expect.stringContaining('The change of aviation would be rejected'),
    ])
    const broken = await plan(join(folder.path, 'none.json'))
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('does not exist')])
  })

  it('covers a folder, as JSON, and so does apply', async () => {
    using definitions = tempFolder()
    for (const apiName of ['first', 'second']) {
      const file = join(definitions.path, `${apiName}.json`)
      writeFileSync(file, JSON.stringify({ ...aviation('integer'), apiName }))
    }
    const added = { kind: 'added', objectType: 'airport', objects: 0 }
    const { code, stdout } = await plan(definitions.path, '--json')
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      {
        ontologies: {
          first: expect.objectContaining({ pending: true, changes: [added] }),
          second: expect.objectContaining({ pending: true, changes: [added] }),
        },
      },
    ])
    const applied = await runInProcess('ontology', 'apply', definitions.path)
    expect(applied.stdout).toMatch(/^applied first: .*\napplied second: .*\n$/)
    expect((await plan(definitions.path)).code).toBe(0)
  })
})

it('names an object that does not fit once', async () => {
  await using other = await startService()
  await other.apply(aviation('integer'))
  await other.put('aviation', 'airport', [{ iata: 'ZRH', runwayFeet: 12139 }])
  const settings = { OQS_URL: other.url, OQS_TOKEN: ADMIN_TOKEN }
  const file = fileOf(aviation('date'))
  const { code, stderr } = await runCommand(['ontology', 'apply', file], settings)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^oqs: OntologyChangeRefused: .*\n {2}object ZRH of airport: runwayFeet .*\n$/,
    ),
  ])
})

it('sends no definition of a folder before all of them are valid', async () => {
  using definitions = tempFolder()
  const write = (name: string, definition: object) =>
    writeFileSync(join(definitions.path, name), JSON.stringify(definition))
  write('a.json', { ...aviation('integer'), apiName: 'early' })
  write('b.json', { apiName: 'late', objectTypes: [{ apiName: 'thing' }] })
  for (const command of ['apply', 'plan']) {
    const { error } = await runInProcess('ontology', command, definitions.path)
    expect(error).toContain(`${join(definitions.path, 'b.json')} is invalid:\n`)
  }
  write('b.json', { ...aviation('integer'), apiName: 'early' })
  const { error } = await runInProcess('ontology', 'apply', definitions.path)
  expect(error).toContain('apiName early is also defined in')
  expect((await service.send('/api/admin/v1/ontologies/early')).status).toBe(404)
})

it('applies no definition of a folder if one would be rejected', async () => {
  using definitions = tempFolder()
  const early = { ...aviation('integer'), apiName: 'early' }
  writeFileSync(join(definitions.path, 'a.json'), JSON.stringify(early))
  writeFileSync(join(definitions.path, 'z.json'), JSON.stringify(aviation('date')))
  const { error } = await runInProcess('ontology', 'apply', definitions.path)
  expect(error).toContain('The change of aviation would be rejected')
  expect((await service.send('/api/admin/v1/ontologies/early')).status).toBe(404)
})

describe('a change in the background', () => {
  it('is planned, started, shown and cancelled', async () => {
    const file = fileOf(aviation('long'))
    const planned = await runInProcess('ontology', 'apply', file, '--dry-run')
    expect(planned.stdout).toContain('2 objects would be rewritten in the background\n')
    const { stdout } = await runInProcess('ontology', 'apply', file)
    expect(stdout).toMatch(
      /^running: change [\w-]+, started at 2\S+Z\n {2}airport: copying, 0 of 2 objects\nFollow it with `oqs ontology change aviation --wait`\.\n$/,
    )
    const shown = await runInProcess('ontology', 'change', 'aviation')
    expect(stdout.startsWith(shown.stdout)).toBe(true)
    const second = await runInProcess('ontology', 'apply', file)
    expect(second.error).toContain('Wait for that change, or cancel it.')
    const cancelled = await runInProcess('ontology', 'change', 'aviation', '--cancel')
    expect(cancelled.stdout).toMatch(/^cancelled: change [\w-]+, started at \S+\n$/)
    const again = await runInProcess('ontology', 'change', 'aviation', '--cancel')
    expect(again.error).toContain('This ontology has no background change')
  })

  it('is rejected by a dry run if an object does not fit', async () => {
    const planned = await runInProcess('ontology', 'apply', fileOf(aviation('date')), '--dry-run')
    expect(planned.stdout).toContain('2 objects would be rewritten in the background\n')
    expect(planned.error).toContain(
      'The change of aviation would be rejected:\n  object ZRH of airport: runwayFeet ',
    )
  })

  it('is followed until it is published, or until it fails', async () => {
    const path = '/api/admin/v1/ontologies/aviation'
    const json = aviation('long')
    const { status, headers, body } = await service.send(path, { method: 'PUT', json })
    expect([status, body.state, body.changes]).toEqual([
      202,
      'running',
      [
        {
          kind: 'widened',
          objectType: 'airport',
          property: 'runwayFeet',
          from: 'integer',
          to: 'long',
          objects: 2,
        },
      ],
    ])
    const location = headers.get('location') ?? ''
    expect((await service.send(location)).body).toEqual(body)
    const reader = await service.createToken()
    expect((await service.send(location, { token: reader })).status).toBe(200)
    const refused = await service.send(location, { token: reader, method: 'DELETE' })
    expect(refused.status).toBe(403)
    const followed = await runWhileChanging('ontology', 'change', 'aviation', '--wait')
    expect([followed.error, followed.stdout]).toEqual(['', 'changed aviation\n'])
    const { body: saved } = await service.send(path)
    expect(saved.objectTypes[0].properties.runwayFeet).toEqual({ type: 'long' })

    const narrow = fileOf(aviation('date'))
    const failed = await runWhileChanging('ontology', 'apply', narrow, '--wait')
    expect(failed.error).toMatch(
      /^The definition was not changed:\n {2}object ZRH of airport: runwayFeet /,
    )
    const shown = await runInProcess('ontology', 'change', 'aviation')
    expect(shown.stdout).toMatch(/^failed: .+\n {2}object ZRH of airport: runwayFeet /)
    // An error gives the command the exit status 1.
    expect(shown.error).toBe('the last change of aviation failed')
  })

  it.each([
    ['plan', 'trying'],
    ['apply', 'applying'],
  ])('is long: oqs ontology %s says so until the service answers', async (command, verb) => {
    await using proxy = await startCuttingProxy(service.url)
    proxy.stallAfter(0)
    const file = fileOf(aviation('integer'))
    const settings = { OQS_URL: proxy.url, OQS_TOKEN: ADMIN_TOKEN }
    await using running = startOqs(['ontology', command, file], settings)
    while (!running.stderr().includes('so far'))
      await once(running.child.stderr ?? running.child, 'data')
    expect(running.stderr()).toMatch(new RegExp(`^${verb} aviation, 0:\\d+ so far\n`))
  })

  it('is long: oqs import --infer shows the progress of widening a property', async () => {
    await service.apply({ ...aviation('integer'), apiName: 'wider' })
    await service.put('wider', 'airport', [{ iata: 'ZRH', runwayFeet: 12139 }])
    const file = join(folder.path, 'airports.csv')
    writeFileSync(file, 'iata,runwayFeet\nBRN,5676.5\n')
    const args = ['import', file, '--ontology', 'wider', '--type', 'airport', '--infer']
    await using running = startOqs(args, { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN })
    const more = () => once(running.child.stderr ?? running.child, 'data')
    while (!running.stderr().includes('changing wider: 0 %')) {
      if ((await Promise.race([more(), running.ended.then(() => 'ended')])) === 'ended') break
    }
    expect(running.stderr()).toMatch(/^changing wider: 0 %, 0 of 1 object/m)
    while ((await service.store.rewriteNext()) !== undefined) await nextTurn()
    expect([await running.ended, running.stderr()]).toEqual([
      0,
      expect.stringContaining('widened runwayFeet from integer to double'),
    ])
  })
})

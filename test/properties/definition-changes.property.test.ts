import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DefinitionModel, type ModelChange, TEXTS, TYPES } from '../support/definition-model.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

/** After random changes of a definition, writes and walks, what is read equals a simple model. */

let service: Service
let store: TestStore
beforeAll(async () => {
  store = await createTestStore()
  service = await startService({ store: store.name })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

/** Starts the service again, so that it converts objects only when a test takes a step. */
async function restartInBackground(): Promise<void> {
  await service[Symbol.asyncDispose]()
  const options = { store: store.name, isMaintainer: false, rewrittenAtOnceMax: 0 }
  service = await startService(options)
}

const key = fc.integer({ min: 0, max: 4 })
const property = fc.constantFrom('a', 'b', 'c')
const type = fc.constantFrom(...TYPES)
const texts = fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 2 })

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('put' as const), key, a: texts, b: texts }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('retype' as const), property, type }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), property, type }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), property, to: property }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drop' as const), property, allow: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('walk' as const), filter: fc.boolean() }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The same, with steps of changes in the background and services that end in the middle of one. */
const backgroundStep = fc.oneof(
  { weight: 10, arbitrary: step },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
)

let ontologies = 0

it('equals a model, whatever the order of changes, writes and walks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      ontologies += 1
      const run = new Run(`changing${ontologies}`)
      await run.apply({})
      for (const one of steps) await run.take(one)
      await run.check()
    }),
    fcOptions(8, 5),
  )
})

it('equals the model while changes run in the background, and resume after an end', async () => {
  await restartInBackground()
  await fc.assert(
    fc.asyncProperty(fc.array(backgroundStep, { minLength: 8, maxLength: 24 }), async (steps) => {
      ontologies += 1
      const run = new BackgroundRun(`changing${ontologies}`)
      await run.apply({})
      for (const one of steps) await run.take(one)
      await run.finish()
      await run.check()
    }),
    fcOptions(7, 4),
  )
})

interface Walk {
  readonly path: string
  readonly pageToken: string
  readonly rest: readonly object[]
  readonly isFiltered: boolean
  readonly since: DefinitionModel['redefinitions']
}

class Run {
  readonly #ontology: string
  protected readonly model = new DefinitionModel()
  readonly #walks: Walk[] = []

  constructor(ontology: string) {
    this.#ontology = ontology
  }

  async apply(
    renamed: Readonly<Record<string, string>>,
    query = '',
    isPossible = true,
  ): Promise<number> {
    const definition = this.model.definition(this.#ontology, renamed)
    const path = `/api/admin/v1/ontologies/${this.#ontology}${query}`
    const planned = await service.send(`${path}${query === '' ? '?' : '&'}dryRun=true`, {
      method: 'PUT',
      json: definition,
    })
    const { status } = await service.send(path, { method: 'PUT', json: definition })
    // The plan says whether the change is carried out, and how. One that runs in the background is
    // accepted before its objects are tried.
    const isApproved = status === 202 ? isPossible : status === 200
    expect([planned.status, planned.body.refused.length === 0]).toEqual([200, isApproved])
    expect(planned.body.background).toBe(status === 202 ? true : undefined)
    return status
  }

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'put': {
        const object = this.model.put(one.key, { a: one.a, b: one.b })
        expect((await service.put(this.#ontology, 'thing', [object])).status).toBe(200)
        return
      }
      case 'delete':
        this.model.delete(one.key)
        await service.write(this.#ontology, 'thing', [{ delete: one.key }])
        return
      case 'walk':
        return this.#startWalk(one.filter)
      default:
        return this.#change(one)
    }
  }

  /** Changes the definition, and checks that it is refused exactly if the model refuses it. */
  async #change(one: ModelChange): Promise<void> {
    const before = this.model.save()
    const isPossible = this.model.change(one)
    if (isPossible === undefined) return
    const renamed = one.kind === 'rename' ? { [one.to]: one.property } : {}
    const query = one.kind === 'drop' && one.allow ? '?allowDataLoss=true' : ''
    const status = await this.apply(renamed, query, isPossible)
    if (this.expectChange(one, status, isPossible)) return
    this.model.restore(before)
  }

  /** Checks the answer to a change, and returns whether it was carried out. */
  protected expectChange(one: ModelChange, status: number, isPossible: boolean): boolean {
    expect([one, status]).toEqual([one, isPossible ? 200 : 409])
    return isPossible
  }

  protected change(path = ''): string {
    return `/api/admin/v1/ontologies/${this.#ontology}${path}`
  }

  /** Reads the first page of a snapshot walk, which goes on after the other steps. */
  async #startWalk(isFiltered: boolean): Promise<void> {
    const filter = isFiltered ? '&p.k.gte=0' : ''
    const path = `/api/v1/ontologies/${this.#ontology}/objects/thing?snapshot=true&pageSize=1${filter}`
    const { body } = await service.send(path)
    const [first, ...rest] = this.model.objects()
    expect(propertiesOf(body)).toEqual(first === undefined ? [] : [first])
    const { nextPageToken: pageToken } = body
    expect(pageToken === undefined).toBe(rest.length === 0)
    if (pageToken === undefined) return
    this.#walks.push({ path, pageToken, rest, isFiltered, since: this.model.redefinitions })
  }

  async check(): Promise<void> {
    for (const walk of this.#walks) await this.#finishWalk(walk)
    const objects = this.model.objects()
    const path = `/api/v1/ontologies/${this.#ontology}/objects/thing`
    expect(propertiesOf((await service.send(path)).body)).toEqual(objects)
    for (const { name, text, keys } of this.model.lookups()) {
      const found = await service.send(`${path}?p.${name}.eq=${encodeURIComponent(text)}`)
      expect([name, text, propertiesOf(found.body).map(({ k }) => k)]).toEqual([name, text, keys])
    }
  }

  async #finishWalk({ path, pageToken, rest, isFiltered, since }: Walk): Promise<void> {
    const shown: object[] = []
    const { rewrites, recreations } = this.model.redefinitions
    // The earlier versions of a type that was empty are gone.
    const isGone = recreations > since.recreations
    const isRefused = isGone || (isFiltered && rewrites > since.rewrites)
    for (let token: string | undefined = pageToken; token !== undefined; ) {
      const { body } = await service.send(`${path}&pageToken=${token}`)
      if (isRefused) {
        expect(body.errorName).toBe('InvalidPageToken')
        expect(body.parameters.reason).toBe(isGone ? 'reclaimed' : 'redefined')
        return
      }
      shown.push(...propertiesOf(body))
      token = body.nextPageToken
    }
    expect(shown).toEqual(rest)
  }
}

/** Changes run in the background, and the model follows when they are published. */
class BackgroundRun extends Run {
  #running: { readonly change: ModelChange; hadUnfit: boolean } | undefined

  override async take(
    one: Step | (typeof backgroundStep extends fc.Arbitrary<infer S> ? S : never),
  ) {
    switch (one.kind) {
      case 'advance':
        return this.#advance(one.count)
      case 'restart':
        return restartInBackground()
      case 'cancel': {
        const { status, body } = await service.send(this.change('/change'), { method: 'DELETE' })
        expect(status === 200 ? body.state : status).toBe(this.#running ? 'cancelled' : 404)
        this.#running = undefined
        return
      }
      default:
        await super.take(one)
        this.#tryChange()
    }
  }

  override async apply(...change: Parameters<Run['apply']>): Promise<number> {
    if (this.#running === undefined) return super.apply(...change)
    const definition = { apiName: this.change().split('/').at(-1), objectTypes: [] }
    const { status, body } = await service.send(this.change(), { method: 'PUT', json: definition })
    expect([status, body.errorName]).toEqual([409, 'OntologyChangeInProgress'])
    return status
  }

  protected override expectChange(one: ModelChange, status: number, isPossible: boolean): boolean {
    if (this.#running !== undefined) return false
    // Values are tried later.
    if (status !== 202) return super.expectChange(one, status, isPossible)
    this.#running = { change: one, hadUnfit: !isPossible }
    return false
  }

  async finish(): Promise<void> {
    while (this.#running !== undefined) await this.#advance(1)
  }

  async #advance(count: number): Promise<void> {
    for (let step = 0; step < count && this.#running !== undefined; step += 1) {
      await service.store.rewriteNext()
      const { body } = await service.send(this.change('/change'))
      if (body.state === 'running') continue
      const { change, hadUnfit } = this.#running
      this.#running = undefined
      if (body.state === 'published') expect(this.model.change(change, true)).toBe(true)
      else expect([body.state, hadUnfit]).toEqual(['failed', true])
    }
  }

  /** Notes whether an object is stored that does not fit; the change may fail even if it goes. */
  #tryChange(): void {
    if (this.#running === undefined) return
    const before = this.model.save()
    if (this.model.change(this.#running.change) === false) this.#running.hadUnfit = true
    this.model.restore(before)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
function propertiesOf(body: any): { readonly k: number }[] {
  return body.data.map(({ properties }: { properties: { k: number } }) => properties)
}

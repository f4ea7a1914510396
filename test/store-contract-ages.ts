/**
 * How long a store keeps row versions, in virtual time: bodies that arrive slowly, publications that
 * take long, and maintenance at any point in between. Only the test advances the clock.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change, ObjectStore, ReadPageRequest } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { fcOptions } from './support/fc-options.ts'
import {
  createFixture,
  pageRequest,
  retention,
  type StoreFixture,
  thingsDefinition,
} from './support/store-fixture.ts'

const SECOND = 1000
const AGE_MS = 30 * SECOND
const IDLE_MS = 3600 * SECOND

/** Steps that take no time. */
type QuickStep =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'snapshot' | 'commit' | 'maintain' }

/** Steps during which other steps happen. */
type Step =
  | QuickStep
  | { readonly do: 'slowCommit'; readonly during: readonly QuickStep[] }
  | {
      readonly do: 'replace'
      readonly loading: readonly QuickStep[]
      readonly publishing: readonly QuickStep[]
    }

const quickStep: fc.Arbitrary<QuickStep> = fc.oneof(
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.constantFrom(1, SECOND, 10 * SECOND, AGE_MS - 1, AGE_MS, 200 * SECOND),
  }),
  fc.record({ do: fc.constantFrom('snapshot' as const, 'commit' as const, 'maintain' as const) }),
)
const quickSteps = fc.array(quickStep, { maxLength: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  quickStep,
  fc.record({ do: fc.constant('slowCommit' as const), during: quickSteps }),
  fc.record({ do: fc.constant('replace' as const), loading: quickSteps, publishing: quickSteps }),
)

const SUPERSEDED_BY_SLOW_COMMIT: readonly Step[] = [
  {
    do: 'slowCommit',
    during: [{ do: 'wait', ms: 200 * SECOND }, { do: 'snapshot' }, { do: 'wait', ms: 10 * SECOND }],
  },
  { do: 'maintain' },
]
const SUPERSEDED_BY_SLOW_PUBLICATION: readonly Step[] = [
  {
    do: 'replace',
    loading: [],
    publishing: [
      { do: 'wait', ms: 200 * SECOND },
      { do: 'snapshot' },
      { do: 'wait', ms: 10 * SECOND },
    ],
  },
  { do: 'maintain' },
]

/** A page of a snapshot or of an ordered walk, and the expected next page. */
interface Taken {
  readonly takenAtMs: number
  readonly read: Partial<ReadPageRequest>
  /** Undefined if later commits may change it. */
  readonly shown: readonly string[] | undefined
}

const BY_TEXT = [{ property: 'text', direction: 'asc', nulls: 'last' }] as const

/** A store, a clock, and all snapshots that must stay readable. */
class World {
  nowMs: number
  readonly #store: ObjectStore
  readonly #things: StoreFixture
  readonly #taken: Taken[] = []
  #commits = 0

  constructor(store: ObjectStore, things: StoreFixture, nowMs: number) {
    this.nowMs = nowMs
    this.#store = store
    this.#things = things
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) await this.#run(one)
  }

  /** Runs maintenance, and returns the number of deleted row versions. */
  async maintain(): Promise<number> {
    const deleted = await this.#store.reclaim({
      now: () => this.nowMs,
      rowVersionsMs: AGE_MS,
      idleReplacementsMs: IDLE_MS,
    })
    await this.checkTaken()
    return deleted
  }

  /** Reads every snapshot that has not reached the maximum age. */
  async checkTaken(): Promise<void> {
    for (const { takenAtMs, read, shown } of this.#taken) {
      if (this.nowMs >= takenAtMs + AGE_MS) continue
      const actual = await this.#things.readPairs(read)
      if (shown !== undefined) expect(actual).toEqual(shown)
    }
  }

  async #run(one: Step): Promise<void> {
    if (one.do === 'wait') this.nowMs += one.ms
    if (one.do === 'snapshot') await this.#take()
    if (one.do === 'commit') await this.#commit([])
    if (one.do === 'maintain') await this.maintain()
    if (one.do === 'slowCommit') await this.#commit(one.during)
    if (one.do === 'replace') await this.#replace(one.loading, one.publishing)
  }

  /** Reads the clock first, as the service does. */
  async #take(): Promise<void> {
    const takenAtMs = this.nowMs
    const { version } = await this.#things.readPage()
    const shown = await this.#things.readPairs({ version })
    this.#taken.push({ takenAtMs, read: { version }, shown })
    const first = await this.#things.readPage({ order: BY_TEXT, maxObjects: 1 })
    const rest = { order: BY_TEXT, after: first.last }
    this.#taken.push({ takenAtMs, read: rest, shown: undefined })
  }

  async #commit(during: readonly QuickStep[], replacement?: string): Promise<void> {
    this.#commits += 1
    const text = String(this.#commits)
    const { type, generation, change } = this.#things
    const parts = async function* (world: World): AsyncGenerator<readonly Change[]> {
      yield [change({ k: 'a', text }), change({ k: 'b', text })]
      await world.run(during)
      yield [change({ k: text, text })]
    }
    await this.#store.commit({
      objectType: type,
      changes: parts(this),
      basedOn: generation,
      replacement,
    })
  }

  async #replace(loading: readonly QuickStep[], publishing: readonly QuickStep[]): Promise<void> {
    const { type } = this.#things
    const replacement = await this.#store.startReplacement(type)
    await this.#commit(loading, replacement)
    const published = this.#store.publishReplacement(type, replacement)
    await Promise.all([published, this.run(publishing)])
  }
}

export function ageContract({ name, open, openAgain, countRowVersions }: StoreUnderTest): void {
  const start = async (store: ObjectStore, ontology = 'things') => {
    const things = await createFixture(store, thingsDefinition(ontology))
    await things.commit([
      ['a', '0'],
      ['b', '0'],
    ])
    return { things }
  }
  const isGone = async (store: ObjectStore, { type }: StoreFixture, version: number) =>
    (await store.readPage(pageRequest(type, { version }))) === 'reclaimed'

  describe(`the ${name} store: how long row versions are kept`, () => {
    it('[4.5.2] exactly until a snapshot has its maximum age, however long commits take', async () => {
      // Each case has its own type: opening a store takes longer than most of them.
      await using store = await open()
      let cases = 0
      let nowMs = 1_000_000
      const holds = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        cases += 1
        const before = await countRowVersions()
        const { things } = await start(store, `things-${cases}`)
        const world = new World(store, things, nowMs)
        await world.run(steps)
        await world.checkTaken()
        // One run records superseded versions, a later one deletes them.
        await world.maintain()
        world.nowMs += AGE_MS
        await world.maintain()
        const { version, totalCount } = await things.readPage()
        expect((await countRowVersions()) - before).toBe(totalCount)
        for (let old = 0; old < version; old += 1) {
          expect(await isGone(store, things, old)).toBe(true)
        }
        expect(await world.maintain()).toBe(0)
        nowMs = world.nowMs
      })
      await fc.assert(holds, {
        ...fcOptions(12, 6),
        // A smaller case would meet what the failed one has left behind.
        endOnFailure: true,
        examples: [[SUPERSEDED_BY_SLOW_COMMIT], [SUPERSEDED_BY_SLOW_PUBLICATION]],
      })
    })

    it('counts from the first maintenance that sees a version superseded', async () => {
      await using store = await open()
      const { things } = await start(store)
      const maintain = (nowMs: number) => store.reclaim(retention(nowMs, AGE_MS))
      await things.commit([['a', '1']])
      expect(await maintain(1000)).toBe(0)
      await things.commit([
        ['a', '2'],
        ['b', null],
      ])
      expect(await maintain(2000)).toBe(0)
      expect(await maintain(AGE_MS + 999)).toBe(0)
      expect(await things.readPairs({ version: 1 })).toEqual(['a=0', 'b=0'])

      expect(await maintain(AGE_MS + 1000)).toBe(1)
      expect(await isGone(store, things, 1)).toBe(true)
      expect(await things.readPairs({ version: 2 })).toEqual(['a=1', 'b=0'])
      expect(await maintain(AGE_MS + 1999)).toBe(0)

      expect(await maintain(AGE_MS + 2000)).toBe(2)
      expect(await isGone(store, things, 2)).toBe(true)
      expect(await things.readPairs({ version: 3 })).toEqual(['a=2'])
      expect(await things.readPairs()).toEqual(['a=2'])
    })

    it('together with their table, if a replacement superseded them', async () => {
      await using store = await open()
      const { things } = await start(store)
      const replacement = await store.startReplacement(things.type)
      await things.commit([['b', '2']], { replacement })
      await things.commit([['b', '3']], { replacement })
      const { version } = await store.publishReplacement(things.type, replacement)
      expect(await store.reclaim(retention(0, AGE_MS))).toBe(0)
      expect(await store.reclaim(retention(AGE_MS - 1, AGE_MS))).toBe(0)
      expect(await things.readPairs({ version: 1 })).toEqual(['a=0', 'b=0'])
      expect(await store.reclaim(retention(AGE_MS, AGE_MS))).toBe(2)
      expect(await isGone(store, things, 1)).toBe(true)
      expect(await things.readPairs({ version })).toEqual(['b=3'])
      expect(await store.reclaim(retention(9 * AGE_MS, AGE_MS))).toBe(0)
    })

    it('for the same time after the clock was set back', async () => {
      await using store = await open()
      const { things } = await start(store)
      await things.commit([['a', '1']])
      const lateMs = 1_000_000 * AGE_MS
      await store.reclaim(retention(lateMs, AGE_MS))
      await store.reclaim(retention(0, AGE_MS))
      expect(await store.reclaim(retention(AGE_MS - 1, AGE_MS))).toBe(0)
      expect(await things.readPairs({ version: 1 })).toEqual(['a=0', 'b=0'])
      expect(await store.reclaim(retention(AGE_MS, AGE_MS))).toBe(1)
    })

    it('even if different processes run the maintenance', async () => {
      await using first = await open()
      const { things } = await start(first)
      await things.commit([['a', '1']])
      {
        await using second = await openAgain()
        expect(await second.reclaim(retention(0, AGE_MS))).toBe(0)
      }
      expect(await first.reclaim(retention(AGE_MS, AGE_MS))).toBe(1)
    })
  })

  describe(`the ${name} store: how long replacements are kept`, () => {
    const maintain = (store: ObjectStore, nowMs: number) => store.reclaim(retention(nowMs, IDLE_MS))

    it('until they are idle for long enough', async () => {
      await using store = await open()
      const { things } = await start(store)
      const replacement = await store.startReplacement(things.type)
      await things.commit([['a', '1']], { replacement })
      await maintain(store, 0)
      expect(await maintain(store, IDLE_MS - 1)).toBe(0)
      await things.commit([['b', '1']], { replacement })
      expect(await maintain(store, IDLE_MS)).toBe(0)
      expect(await maintain(store, 2 * IDLE_MS - 1)).toBe(0)
      expect(await maintain(store, 2 * IDLE_MS)).toBe(2)
      const late = things.commit([['c', '1']], { replacement })
      await expect(late).rejects.toThrow('ReplacementNotFound')
      expect(await countRowVersions()).toBe(2)
      expect(await things.readPairs()).toEqual(['a=0', 'b=0'])
    })

    it('while batches arrive that change nothing', async () => {
      await using store = await open()
      const { things } = await start(store)
      const replacement = await store.startReplacement(things.type)
      for (let batch = 1; batch <= 20; batch += 1) {
        await maintain(store, batch * (IDLE_MS - 1))
        await things.commit([['none', null]], { replacement })
      }
      await things.commit([['a', '1']], { replacement })
    })

    it('while a batch arrives that started in time', async () => {
      await using store = await open()
      const { things } = await start(store)
      const replacement = await store.startReplacement(things.type)
      await maintain(store, 0)
      async function* slow(): AsyncGenerator<readonly Change[]> {
        yield [things.change({ k: 'c', text: '1' })]
        await maintain(store, IDLE_MS)
        await maintain(store, IDLE_MS + 300 * SECOND)
        yield [things.change({ k: 'd', text: '1' })]
      }
      const { type: objectType, generation: basedOn } = things
      await store.commit({ objectType, changes: slow(), basedOn, replacement })
      await store.publishReplacement(things.type, replacement)
      expect(await things.readPairs()).toEqual(['c=1', 'd=1'])
    })
  })
}

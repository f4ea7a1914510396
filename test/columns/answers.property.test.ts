/**
 * Random types that change, and callers with random rights: whatever they ask, columns answer as the
 * database does, object by object. `FC_RUNS` is the number of questions.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CASES_PER_STEP, groups, STEPS_PER_GROUP } from '../support/answer-cases.ts'
import { AnswerStores } from '../support/answer-stores.ts'
import { AnswerWorld } from '../support/answer-world.ts'
import { fcOptions } from '../support/fc-options.ts'

const GROUPS_PER_STORE = 25
const CASES_PER_GROUP = CASES_PER_STEP * STEPS_PER_GROUP

// A process that is killed takes longer to start than a thread, so it answers fewer questions.
it.each([
  { columns: 'thread', memory: 'enough', share: 0.4 },
  { columns: 'thread', memory: 'little', share: 0.4 },
  { columns: 'process', memory: 'enough', share: 0.1 },
  { columns: 'process', memory: 'little', share: 0.1 },
] as const)(
  'columns of a $columns with $memory memory answer as the database does',
  { timeout: 3_600_000 },
  async ({ columns, memory, share }) => {
    let stores = await AnswerStores.create(columns, memory)
    const outcomes = { compared: 0, refused: 0 }
    let answered = 0
    let made = 0
    const renew = async () => {
      answered += stores.answered
      await stores[Symbol.asyncDispose]()
      stores = await AnswerStores.create(columns, memory)
    }
    const { numRuns, ...seed } = fcOptions(400, 200)
    try {
      await fc.assert(
        fc.asyncProperty(fc.noShrink(groups), async (group) => {
          made += 1
          if (made % GROUPS_PER_STORE === 0) await renew()
          const world = new AnswerWorld(stores, group, outcomes)
          await world.begin()
          for (const step of group.steps) await world.run(step)
        }),
        { ...seed, numRuns: Math.max(1, Math.ceil((share * numRuns) / CASES_PER_GROUP)) },
      )
    } finally {
      answered += stores.answered
      await stores[Symbol.asyncDispose]()
    }
    expect(answered / outcomes.compared).toBeGreaterThan(0.4)
  },
)

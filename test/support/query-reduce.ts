/**
 * Shrinks a failing case: removes changes and parts of the query while it still fails. Much faster
 * than shrinking a whole group of cases, of which one failed.
 */

import type { GeneratedChange, GeneratedType } from './query-arbitraries.ts'
import type { RequestCondition, RequestQuery } from './query-model.ts'
import type { Request } from './query-requests.ts'

export interface Failing<Case extends Request> {
  readonly commits: readonly (readonly GeneratedChange[])[]
  readonly how: Case
}

/** The maximum number of attempts to shrink a failure. */
const MAX_ATTEMPTS = 300

export async function failureOf(run: () => Promise<void>): Promise<Error | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Returns the failure with as little data and as short a query as possible. */
export async function explainFailure<Case extends Request>(
  type: GeneratedType,
  failing: Failing<Case>,
  plainer: Partial<Case>,
  failure: Error,
  again: (failing: Failing<Case>) => Promise<void>,
): Promise<Error> {
  let cause = failure
  const { commits, how } = await reduceFailure(failing, plainer, async (smaller) => {
    const same = await failureOf(() => again(smaller))
    if (same?.name !== failure.name) return false
    cause = same
    return true
  })
  const { primaryKey, properties } = type.definition
  const sent = commits.map((changes) =>
    changes.map((change) => ('put' in change ? { put: change.put } : { delete: change.delete })),
  )
  const shown = { primaryKey, properties, commits: sent, how }
  return new Error(`${cause.message}\n${JSON.stringify(shown, undefined, 1)}`, { cause })
}

async function reduceFailure<Case extends Request>(
  failing: Failing<Case>,
  plainer: Partial<Case>,
  stillFails: (failing: Failing<Case>) => Promise<boolean>,
): Promise<Failing<Case>> {
  let smallest = failing
  let attempts = 0
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false
    for (const smaller of smallerCases(smallest, plainer)) {
      attempts += 1
      if (attempts > MAX_ATTEMPTS) return smallest
      if (await stillFails(smaller)) {
        smallest = smaller
        isShrinking = true
        break
      }
    }
  }
  return smallest
}

function* smallerCases<Case extends Request>(
  { commits, how }: Failing<Case>,
  plainer: Partial<Case>,
): Generator<Failing<Case>> {
  for (const fewer of smallerCommits(commits)) yield { commits: fewer, how }
  for (const name of Object.keys(plainer) as (keyof Case)[]) {
    const value = plainer[name]
    if (how[name] !== value) yield { commits, how: { ...how, [name]: value } }
  }
  for (const condition of smallerConditions(how.condition))
    yield { commits, how: { ...how, condition } }
  if (how.selection.length > 0) yield { commits, how: { ...how, selection: [] } }
  for (const index of how.order.keys()) {
    yield { commits, how: { ...how, order: how.order.toSpliced(index, 1) } }
  }
}

function* smallerCommits(commits: Failing<Request>['commits']) {
  for (const index of commits.keys()) {
    if (commits.length > 1) yield commits.toSpliced(index, 1)
  }
  for (const [index, changes] of commits.entries()) {
    for (let size = Math.ceil(changes.length / 2); size > 0; size = Math.floor(size / 2)) {
      for (let start = 0; start < changes.length; start += size) {
        yield commits.with(index, changes.toSpliced(start, size))
      }
    }
  }
}

function* smallerConditions(condition: RequestCondition): Generator<RequestCondition> {
  if (condition.as === 'listing') {
    for (const index of condition.filters.keys()) {
      yield { ...condition, filters: condition.filters.toSpliced(index, 1) }
    }
    return
  }
  for (const query of smallerQueries(condition.query)) yield { ...condition, query }
}

function* smallerQueries(query: RequestQuery): Generator<RequestQuery> {
  if (query.type === 'not') {
    const inner = query['value'] as RequestQuery
    yield inner
    for (const value of smallerQueries(inner)) yield { type: 'not', value }
  }
  if (query.type !== 'and' && query.type !== 'or') return
  const inner = query['value'] as readonly RequestQuery[]
  yield* inner
  for (const [index, one] of inner.entries()) {
    for (const smaller of smallerQueries(one)) {
      yield { type: query.type, value: inner.with(index, smaller) }
    }
  }
}

/** Every form of the examples in docs/reference/conditions.md finds the books that the page names. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONDITION_EXAMPLES, type ConditionExample } from '../../scripts/docs/condition-examples.ts'
import {
  compileExample,
  DIALECTS,
  type Dialect,
  filtersOf,
  GRAMMARS,
  queryOf,
  typesOf,
} from '../../scripts/docs/condition-forms.ts'
import { createClient } from '../../src/client/index.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const read = (file: string) => readFileSync(`docs/examples/${file}`, 'utf8')

const PATHS: Readonly<Record<Dialect, string>> = {
  revision1: '/api/v1/ontologies/bookshop/objects/book/search',
  revision2: '/api/bookshop/v1/objects/types/book/search',
  v2: '/api/v2/ontologies/bookshop/objects/book/search',
}

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(JSON.parse(read('bookshop.json')))
  const books = read('books.ndjson').trim().split('\n')
  await service.put(
    'bookshop',
    'book',
    books.map((line) => JSON.parse(line)),
  )
})
afterAll(() => service[Symbol.asyncDispose]())

function search(dialect: Dialect, query: unknown) {
  return service.send(PATHS[dialect], {
    method: 'POST',
    json: { [GRAMMARS[dialect].member]: query },
  })
}

interface Found {
  readonly primaryKey?: string
  readonly __primaryKey?: string
  readonly properties?: { readonly id: string }
}

const keyOf = ({ primaryKey, __primaryKey, properties }: Found) =>
  primaryKey ?? __primaryKey ?? properties?.id

const named = CONDITION_EXAMPLES.map((example) => [example.name, example] as const)

describe('the example of', () => {
  it.each(named)('%s finds its books in each dialect that has it', async (_, example) => {
    for (const dialect of DIALECTS) {
      const query = queryOf(example, dialect)
      if (query === undefined) continue
      const { body } = await search(dialect, query)
      expect([dialect, body.data?.map(keyOf)]).toEqual([dialect, example.keys])
    }
  })

  it.each(named)('%s is refused by the dialects that do not have it', async (_, example) => {
    for (const dialect of DIALECTS.filter((each) => queryOf(example, each) === undefined)) {
      const query = compileExample(example, dialect)
      if (query === undefined) continue
      const { status } = await search(dialect, query)
      expect([dialect, Math.floor(status / 100)]).toEqual([dialect, 4])
    }
  })

  it.each(named)('%s finds its books with the client', async (_, example) => {
    const client = createClient({ baseUrl: service.url, ontology: 'bookshop', token: ADMIN_TOKEN })
    const builders = {
      revision1: client.objects('book'),
      revision2: client.family('bookshop').objects('book'),
      v2: client.objectSet('book'),
    }
    for (const dialect of DIALECTS) {
      const query = queryOf(example, dialect)
      if (query === undefined) continue
      const books = await builders[dialect].where(example.client ?? { $query: query }).toArray()
      expect([dialect, books.map(({ id }) => id)]).toEqual([dialect, example.keys])
    }
  })

  it.each(withFilters())(
    '%s finds its books as filters, in a URL and in a command',
    async (_, example) => {
      const filters = filtersOf(example) ?? []
      const url = new URLSearchParams(
        filters.map(([name, value]): [string, string] => [`p.${name}`, value]),
      )
      const { body } = await service.send(`/api/v1/ontologies/bookshop/objects/book?${url}`)
      expect(body.data?.map(keyOf)).toEqual(example.keys)
      const where = filters.flatMap(([name, value]) => ['--where', `${name}=${value}`])
      const { stdout } = await runCommand(
        ['list', '--ontology', 'bookshop', '--type', 'book', '--json', ...where],
        { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN },
      )
      const lines = stdout.trim().split('\n')
      expect(lines.map((line) => keyOf(JSON.parse(line)))).toEqual(example.keys)
    },
  )
})

function withFilters(): (readonly [string, ConditionExample])[] {
  return named.filter(([, example]) => filtersOf(example) !== undefined)
}

it.each(DIALECTS)('the examples have every query type of %s', (dialect) => {
  const shown = CONDITION_EXAMPLES.flatMap((example) => {
    const query = queryOf(example, dialect)
    return query === undefined ? [] : typesOf(query)
  })
  expect(new Set(shown)).toEqual(new Set(GRAMMARS[dialect].types.keys()))
})

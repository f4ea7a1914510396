/** What the same requests cost on Citus and on one PostgreSQL server. */
import type { Part } from '../measure/command.ts'
import { type Case, compareSides, type RoundOptions, type Side } from '../measure/compare.ts'
import { allCases } from '../measure/pages.ts'
import { loadParts, OBJECT_TYPE, ONTOLOGY } from '../measure/parts.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import { type MeasuredServer, NO_CACHE } from '../measure/workbench.ts'

interface CitusNumbers extends RoundOptions {
  readonly objects: number
}

/** One of each kind: every query is walked to its end for its page tokens. */
const QUERIES = /^(?:list|snapshot|equality|order without|full text)/

/** How many times as long a request may take on Citus. */
const LIMITS = [
  { name: 'list pages', limit: 1.8, isCounted: /^list,/ },
  { name: 'gets', limit: 1.3, isCounted: /^get by key/ },
  { name: 'aggregations', limit: 1, isCounted: /^aggregation/ },
] as const

export const citus: Part<CitusNumbers> = {
  about: `Loads the same objects into a Citus cluster and into one PostgreSQL server, and sends the same
requests to both, without caches and columns, which no database answers. --citus is the URL of a
database on a coordinator; its name must contain "test". OQS_TEST_POSTGRES may name the other server.`,
  full: { objects: 1_000_000, rounds: 12, sliceMs: 200, warmUpMs: 10_000 },
  quick: { objects: 20_000, rounds: 4, sliceMs: 100, warmUpMs: 500 },
  stores: ['PostgreSQL'],
  async run({ bench, numbers, texts, print }) {
    const coordinator = texts['citus']
    if (coordinator === undefined) throw new Error('--citus=URL is missing')
    const sides: Side[] = []
    print(
      `## Citus\n\nCitus on a coordinator and workers, and one PostgreSQL server, on the same machine. CPU is that of
the service; p50 is the time of a response.`,
    )
    const plain = await bench.createStore('plain')
    const stores = { PostgreSQL: plain, Citus: await bench.createStore('citus', coordinator) }
    for (const [name, store] of Object.entries(stores)) {
      const settings = { ...NO_CACHE, OQS_COLUMNS_MEMORY: '0' }
      const service = await bench.startService({ store, settings })
      const { seconds } = await loadParts(bench, service, numbers.objects)
      print(`${name}: ${count(numbers.objects)} objects imported in ${count(seconds)} s.`)
      showProgress(`collecting page tokens of ${name}`)
      const isIncluded = (query: string) => QUERIES.test(query)
      const pages = await allCases(service, numbers.objects, isIncluded)
      sides.push({ name, cases: [...pages, ...aggregations(service)] })
    }
    const { table, mean } = await compareSides(sides, numbers)
    print(toMarkdown(table))
    const [, onCitus] = sides as [Side, Side]
    return LIMITS.map(({ name, limit, isCounted }) => {
      const ratio = mean(onCitus, 'p50', (one) => isCounted.test(one))
      return atMost(limit, `${name}, Citus / PostgreSQL, p50`, ratio)
    })
  },
}

function aggregations(server: MeasuredServer): readonly Case[] {
  const path = `/api/v2/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}/aggregate`
  const sums = [{ type: 'count' }, { type: 'avg', field: 'weight', name: 'average' }]
  const groupBy = [{ type: 'exact', field: 'category' }]
  const of = (name: string, body: object): Case => ({
    name: `aggregation of all, ${name}`,
    server,
    calls: [{ method: 'POST', path, body: JSON.stringify(body) }],
  })
  return [
    of('one group', { aggregation: sums, groupBy: [] }),
    of('by category', { aggregation: sums, groupBy }),
  ]
}

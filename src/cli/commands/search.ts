import type { Command } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { Page, PageOptions } from '../../client/endpoints/pages.ts'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import {
  addServiceOptions,
  openClient,
  parseJson,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'
import {
  addWalkOptions,
  printWalk,
  readOrderTerm,
  readQueryPage,
  type WalkOptions,
} from '../walk.ts'

interface SearchOptions extends ServiceOptions, WalkOptions {
  readonly ontology?: string
  readonly family?: string
  readonly type: string
  readonly query?: unknown
}

export function addSearchCommand(program: Command): void {
  const search = program
    .command('search')
    .description('Find the objects of a type that match a query.')
    .option('--ontology <name>', 'search an ontology, with a query of revision 1.0', parseText)
    .option('--family <name>', 'search a family, with a query of revision 2.0', parseText)
    .requiredOption('--type <name>', 'API name of the object type', parseText)
    .option('--query <json>', 'query; see the examples and docs/queries.md', parseJson)
  addServiceOptions(addWalkOptions(search))
  addExamples(
    search,
    `oqs search --ontology aviation --type airport --query '{"type": "eq", "field": "properties.countryCode", "value": "CH"}'`,
    `oqs search --ontology aviation --type airport --query '{"type": "gt", "field": "properties.runwayFeet", "value": 1000}' --order runwayFeet:desc --select name`,
    `oqs search --ontology aviation --type airport --query '{"type": "anyTerm", "field": "properties.name", "value": "zurich geneva"}' --all`,
    `oqs search --family gotham --type airport --query '{"type": "keyword", "query": "international"}'`,
    `oqs search --family gotham --type country --all --snapshot`,
  ).action((options: SearchOptions) => {
    checkOptions(search, options)
    return untilInterrupted((signal) => searchObjects(options, signal))
  })
}

function checkOptions(search: Command, options: SearchOptions): void {
  const { ontology, family, query, order, select } = options
  const fail = (text: string) => search.error(`error: ${text}`, { exitCode: 2 })
  if ((ontology === undefined) === (family === undefined)) {
    fail("specify either '--ontology <name>' or '--family <name>'")
  }
  if (ontology !== undefined && query === undefined) {
    fail("required option '--query <json>' not specified; `oqs list` lists all objects")
  }
  if (family !== undefined && (order ?? select) !== undefined) {
    fail("'--order' and '--select' cannot be used with '--family'; use '--ontology' instead")
  }
}

async function searchObjects(options: SearchOptions, signal: AbortSignal): Promise<void> {
  const client = await openClient(options, signal)
  await printWalk((page) => readPage(client, options, page), options, signal)
}

function readPage(
  client: Endpoints,
  { ontology = '', family, type, query, select, order = [] }: SearchOptions,
  page: PageOptions,
): Promise<Page> {
  if (family !== undefined) {
    return client.revision2.searchObjects(family, type, {
      query: query ?? { type: 'empty' },
      ...page,
    })
  }
  const objects = { conditions: [{ $query: query }], order: order.map(readOrderTerm), select }
  return readQueryPage(client, { ontology, objectType: type }, objects, page)
}

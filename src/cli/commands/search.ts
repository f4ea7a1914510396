import type { Command } from 'commander'
import type { PageOptions } from '../../client/endpoints/pages.ts'
import {
  parseJson,
  parseText,
  runOnService,
  type ServiceContext,
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
    .option('--query <json>', 'query; see the examples and docs/reference/conditions.md', parseJson)
  addWalkOptions(search)
  const examples = [
    `oqs search --ontology aviation --type airport --query '{"type": "eq", "field": "properties.countryCode", "value": "CH"}'`,
    `oqs search --ontology aviation --type airport --query '{"type": "gt", "field": "properties.runwayFeet", "value": 1000}' --order runwayFeet:desc --select name`,
    `oqs search --ontology aviation --type airport --query '{"type": "anyTerm", "field": "properties.name", "value": "zurich geneva"}' --all`,
    `oqs search --family gotham --type airport --query '{"type": "keyword", "query": "international"}'`,
    `oqs search --family gotham --type country --all --snapshot`,
  ]
  runOnService(search, examples, searchObjects, findMistake)
}

function findMistake({ ontology, family, query, order, select }: SearchOptions) {
  if ((ontology === undefined) === (family === undefined)) {
    return "specify either '--ontology <name>' or '--family <name>'"
  }
  if (ontology !== undefined && query === undefined) {
    return "required option '--query <json>' not specified; `oqs list` lists all objects"
  }
  if (family !== undefined && (order ?? select) !== undefined) {
    return "'--order' and '--select' cannot be used with '--family'; use '--ontology' instead"
  }
  return undefined
}

async function searchObjects({ client, options, signal }: ServiceContext<SearchOptions>) {
  const { ontology = '', family, type, query, select, order = [] } = options
  const objects = { conditions: [{ $query: query }], order: order.map(readOrderTerm), select }
  const anything = { type: 'empty' }
  const readPage = (page: PageOptions) =>
    family === undefined
      ? readQueryPage(client, { ontology, objectType: type }, objects, page)
      : client.revision2.searchObjects(family, type, { query: query ?? anything, ...page })
  await printWalk(readPage, options, signal)
}

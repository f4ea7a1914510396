import type { Command } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { Page, PageOptions } from '../../client/endpoints/pages.ts'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import {
  addServiceOptions,
  addTypeOptions,
  openClient,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'
import {
  addWalkOptions,
  printWalk,
  readOrderTerm,
  readQueryPage,
  type WalkOptions,
} from '../walk.ts'
import { addWhere, combineWhere, WHERE_HELP, type Where } from '../where-option.ts'

interface ListOptions extends ServiceOptions, TypeOptions, WalkOptions {
  readonly where?: Where
}

export function addListCommand(program: Command): void {
  const list = program.command('list').description('List the objects of a type in pages.')
  addTypeOptions(list)
  list.option('--where <filter>', WHERE_HELP, addWhere)
  addServiceOptions(addWalkOptions(list))
  addExamples(
    list,
    'oqs list --ontology aviation --type airport',
    'oqs list --ontology aviation --type country --all --snapshot > countries.ndjson',
    'oqs list --ontology aviation --type airport --where countryCode.eq=CH --where runwayFeet.gt=1000',
    'oqs list --ontology aviation --type airport --select name,city --order runwayFeet:desc,name --page-size 5 --table',
  ).action((options: ListOptions) => untilInterrupted((signal) => listObjects(options, signal)))
}

async function listObjects(options: ListOptions, signal: AbortSignal): Promise<void> {
  const client = await openClient(options, signal)
  await printWalk((page) => readPage(client, options, page), options, signal)
}

function readPage(
  client: Endpoints,
  { ontology, type, select, order = [], where }: ListOptions,
  page: PageOptions,
): Promise<Page> {
  const query = { conditions: combineWhere(where), order: order.map(readOrderTerm), select }
  return readQueryPage(client, { ontology, objectType: type }, query, page)
}

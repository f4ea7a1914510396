import type { Command } from 'commander'
import {
  addTypeOptions,
  runOnService,
  type ServiceContext,
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
  addWalkOptions(list)
  const examples = [
    'oqs list --ontology aviation --type airport',
    'oqs list --ontology aviation --type country --all --snapshot > countries.ndjson',
    'oqs list --ontology aviation --type airport --where countryCode.eq=CH --where runwayFeet.gt=1000',
    'oqs list --ontology aviation --type airport --select name,city --order runwayFeet:desc,name --page-size 5 --table',
  ]
  runOnService(list, examples, listObjects)
}

async function listObjects({ client, options, signal }: ServiceContext<ListOptions>) {
  const { ontology, type, select, order = [], where } = options
  const query = { conditions: combineWhere(where), order: order.map(readOrderTerm), select }
  const path = { ontology, objectType: type }
  await printWalk((page) => readQueryPage(client, path, query, page), options, signal)
}

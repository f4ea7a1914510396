import { type Command, InvalidArgumentError } from 'commander'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import {
  addServiceOptions,
  addTypeOptions,
  openClient,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'
import { addWalkOptions, printWalk, readOrderTerm, type WalkOptions } from '../walk.ts'

type Filters = Readonly<Record<string, readonly string[]>>

interface ListOptions extends ServiceOptions, TypeOptions, WalkOptions {
  readonly where?: Filters
}

export function addListCommand(program: Command): void {
  const list = program.command('list').description('List the objects of a type in pages.')
  addTypeOptions(list)
  list.option(
    '--where <filter>',
    'filter PROPERTY.OPERATOR=VALUE; operators: eq neq lt lte gt gte contains isNull; repeatable',
    addFilter,
  )
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
  const { revision1 } = await openClient(options, signal)
  const { ontology, type, select, order, where = {} } = options
  const orderBy = order?.map(orderTerm).join(',')
  await printWalk(
    (page) =>
      revision1.listObjects(
        { ontology, objectType: type },
        { ...page, properties: select?.join(','), orderBy, filters: where },
      ),
    options,
    signal,
  )
}

function orderTerm(term: string): string {
  const { name, rest } = readOrderTerm(term)
  return [`properties.${name}`, ...rest].join(':')
}

/** Accepts `runwayFeet.gt=100` and the form of the HTTP API, `properties.runwayFeet.gt=100`. */
function addFilter(text: string, filters: Filters = {}): Filters {
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).replace(/^(?:properties|p)\./, '')
  if (equals < 1 || !name.includes('.')) {
    throw new InvalidArgumentError('It must be PROPERTY.OPERATOR=VALUE.')
  }
  const parameter = `properties.${name}`
  return { ...filters, [parameter]: [...(filters[parameter] ?? []), text.slice(equals + 1)] }
}

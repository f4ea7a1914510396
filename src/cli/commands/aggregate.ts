/** `oqs count` and `oqs aggregate`: numbers about all matches. */
import { type Command, InvalidArgumentError } from 'commander'
import type { AggregateResponse } from '../../client/endpoints/revision-1.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import {
  addTypeOptions,
  parseCount,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
  typeOf,
} from '../service-options.ts'
import { addWhere, toQuery, WHERE_HELP, type Where } from '../where-option.ts'

interface CountOptions extends ServiceOptions, TypeOptions {
  readonly where?: Where
}

interface AggregateOptions extends CountOptions, FormOptions {
  readonly metric?: readonly Metric[]
  readonly by?: readonly string[]
  readonly top?: number
}

interface Metric {
  readonly type: string
  readonly name: string
  readonly field?: string
}

const COUNT: Metric = { type: 'count', name: 'count' }
const METRICS = ['min', 'max', 'sum', 'avg', 'approximateDistinct']

export function addCountCommand(program: Command): void {
  const count = program.command('count').description('Count the objects of a type, or its matches.')
  addTypeOptions(count)
  count.option('--where <filter>', WHERE_HELP, addWhere)
  const examples = [
    'oqs count --ontology aviation --type airport',
    'oqs count --ontology aviation --type airport --where countryCode.eq=CH',
  ]
  runOnService(count, examples, async (context: ServiceContext<CountOptions>) => {
    const { data } = await aggregate(context, { aggregation: [COUNT] })
    await writeOut(`${data[0]?.metrics[0]?.value ?? 0}\n`, context.signal)
  })
}

export function addAggregateCommand(program: Command): void {
  const command = program
    .command('aggregate')
    .description('Compute metrics over all matches, for all together or for each group.')
  addTypeOptions(command)
  command
    .option('--where <filter>', WHERE_HELP, addWhere)
    .option(
      '--metric <metric>',
      `count, or TYPE:PROPERTY with the types ${METRICS.join(' ')}; repeatable (default: count)`,
      addMetric,
    )
    .option('--by <property>', 'group by the values of a property; repeatable', addName)
    .option('--top <count>', 'keep the groups with the most objects', parseCount)
  addFormOptions(command)
  const examples = [
    'oqs aggregate --ontology aviation --type airport --by countryCode --top 5 --table',
    'oqs aggregate --ontology aviation --type airport --metric count --metric avg:runwayFeet --by countryCode --where runwayFeet.gt=10000',
  ]
  runOnService(command, examples, showGroups)
}

function addMetric(text: string, metrics: readonly Metric[] = []): readonly Metric[] {
  if (text === 'count') return [...metrics, COUNT]
  const [type = '', property = ''] = text.split(':')
  if (!METRICS.includes(type) || property === '') {
    throw new InvalidArgumentError(
      `It must be count, or one of ${METRICS.join(', ')} with a property, such as avg:runwayFeet.`,
    )
  }
  return [...metrics, { type, name: `${type}_${property}`, field: `properties.${property}` }]
}

function addName(text: string, names: readonly string[] = []): readonly string[] {
  return [...names, parseText(text)]
}

async function showGroups(context: ServiceContext<AggregateOptions>): Promise<void> {
  const { metric = [COUNT], by = [], top } = context.options
  const groupBy = by.map((property) => ({
    type: 'exact',
    field: `properties.${property}`,
    ...(top !== undefined && { maxGroupCount: top }),
  }))
  const response = await aggregate(context, { aggregation: metric, groupBy })
  const rows = response.data.map(
    ({ group, metrics }): Readonly<Record<string, unknown>> => ({
      ...Object.fromEntries(by.map((name) => [name, group[name] ?? null])),
      ...Object.fromEntries(metrics.map(({ name, value }) => [name, value ?? null])),
    }),
  )
  await writeRows(rows, chooseForm(context.options))
}

function aggregate(
  { client, options }: ServiceContext<CountOptions>,
  { aggregation, groupBy = [] }: { aggregation: readonly object[]; groupBy?: readonly object[] },
): Promise<AggregateResponse> {
  const type = typeOf(options)
  const query = toQuery(options.where) as object | undefined
  return client.revision1.aggregateObjects(type, { aggregation, groupBy, query })
}

import type { Command } from 'commander'
import type { ObjectRecord } from '../../client/endpoints/pages.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut } from '../output.ts'
import {
  addTypeOptions,
  parseList,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
  typeOf,
} from '../service-options.ts'

interface GetOptions extends ServiceOptions, TypeOptions, FormOptions {
  readonly select?: string[]
}

export function addGetCommand(program: Command): void {
  const get = program
    .command('get')
    .description('Show one object.')
    .argument('<key>', 'primary key of the object', parseText)
  addTypeOptions(get)
  get.option('--select <names>', 'properties to show, comma-separated', parseList)
  addFormOptions(get)
  const examples = [
    'oqs get --ontology aviation --type airport ZRH',
    'oqs get --ontology aviation --type airport ZRH --select name,location --table',
  ]
  runOnService(get, examples, showObject)
}

async function showObject(
  { client, options, signal }: ServiceContext<GetOptions>,
  key: string,
): Promise<void> {
  const type = typeOf(options)
  const properties = options.select?.join(',')
  const record = await client.revision1.getObject(type, key, { properties })
  if (chooseForm(options) === 'json') await writeOut(`${JSON.stringify(record)}\n`, signal)
  else await writeOut(await describeRecord(record), signal)
}

/** Formats one property per line, without cutting values. */
async function describeRecord({ properties }: ObjectRecord): Promise<string> {
  const { cellText, describePairs } = await import('../table.ts')
  return describePairs(Object.entries(properties).map(([name, value]) => [name, cellText(value)]))
}

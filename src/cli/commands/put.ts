/** `oqs put` and `oqs patch`: one object. */
import type { Command } from 'commander'
import { writeOut } from '../output.ts'
import { readJsonFile } from '../read-definition.ts'
import {
  addTypeOptions,
  parseJson,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
  typeOf,
} from '../service-options.ts'

type Options = ServiceOptions & TypeOptions

const STANDARD_INPUT = '-'
const PROPERTIES_HELP = 'properties as JSON; - reads standard input'

export function addPutCommand(program: Command): void {
  const put = program
    .command('put')
    .description('Create or replace one object. Its primary key is one of its properties.')
    .argument('<properties>', PROPERTIES_HELP, parseProperties)
  addTypeOptions(put)
  const examples = [
    `oqs put --ontology aviation --type airport '{"iata": "XXX", "name": "Nowhere"}'`,
  ]
  runOnService(put, examples, putObject)
}

export function addPatchCommand(program: Command): void {
  const patch = program
    .command('patch')
    .description('Change properties of one object; null removes a value.')
    .argument('<key>', 'primary key of the object', parseText)
    .argument('<properties>', PROPERTIES_HELP, parseProperties)
  addTypeOptions(patch)
  const examples = [`oqs patch --ontology aviation --type airport ZRH '{"name": "Zurich Airport"}'`]
  runOnService(patch, examples, patchObject)
}

async function putObject(
  { client, options, signal }: ServiceContext<Options>,
  given: unknown,
): Promise<void> {
  const type = typeOf(options)
  const properties = await readProperties(given)
  const name = await client.revision1.primaryKeyOf(type)
  const key = properties[name]
  if (key === undefined || key === null) {
    throw new Error(`The properties have no ${name}, which is the primary key of ${options.type}.`)
  }
  const { version } = await client.administration.putObject(type, String(key), properties)
  await writeOut(`put ${key} (version ${version})\n`, signal)
}

async function patchObject(
  { client, options, signal }: ServiceContext<Options>,
  key: string,
  given: unknown,
): Promise<void> {
  const type = typeOf(options)
  const properties = await readProperties(given)
  const { version } = await client.administration.patchObject(type, key, properties)
  await writeOut(`patched ${key} (version ${version})\n`, signal)
}

function parseProperties(text: string): unknown {
  return text === STANDARD_INPUT ? text : parseJson(text)
}

async function readProperties(given: unknown): Promise<Readonly<Record<string, unknown>>> {
  const json = given === STANDARD_INPUT ? await readJsonFile(STANDARD_INPUT) : given
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
    return json as Readonly<Record<string, unknown>>
  }
  throw new Error('The properties must be a JSON object, such as {"name": "value"}.')
}

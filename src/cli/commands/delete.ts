import type { Command } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { countOf } from '../../contract/count-of.ts'
import { confirm } from '../confirm.ts'
import { printMessage, writeOut } from '../output.ts'
import {
  addTypeOptions,
  parseJson,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'

interface DeleteOptions extends ServiceOptions, TypeOptions {
  readonly query?: unknown
  readonly all?: true
  readonly yes?: true
}

export function addDeleteCommand(program: Command): void {
  const command = program
    .command('delete')
    .description('Delete objects by primary key, by query or all of a type, as one commit.')
    .argument('[keys...]', 'primary keys of the objects', parseKey)
  addTypeOptions(command)
  command
    .option('--query <json>', 'delete all matches of a query of revision 1.0', parseJson)
    .option('--all', 'delete all objects of the type, as one commit')
    .option('--yes', 'do not ask for confirmation')
  const examples = [
    'oqs delete --ontology aviation --type airport GVA --yes',
    `oqs delete --ontology aviation --type airport --yes --query '{"type": "eq", "field": "properties.countryCode", "value": "XX"}'`,
    'oqs delete --ontology scratch --type sensor --all --yes',
  ]
  runOnService(command, examples, deleteObjects, ({ query, all }, keys) => {
    const given = [keys.length > 0, query !== undefined, all === true].filter(Boolean)
    return given.length === 1
      ? undefined
      : "specify either primary keys, '--query <json>' or '--all'"
  })
}

function parseKey(text: string, previous: string[] = []): string[] {
  return [...previous, parseText(text)]
}

async function deleteObjects(
  { client, options, signal }: ServiceContext<DeleteOptions>,
  keys: readonly string[],
): Promise<void> {
  const { ontology, type: objectType } = options
  if (options.yes !== true) {
    const count = keys.length > 0 ? keys.length : await countMatches(client, options)
    const objects = `${countOf(count, 'object')} of type ${objectType} from ${ontology}`
    if (!(await confirm(`Delete ${objects}?`, signal))) throw new Error('Nothing was deleted.')
  }
  // One request does all the work, so there are no steps to show.
  if (process.stderr.isTTY) printMessage('deleting …')
  const deleted = await sendDelete(client, keys, options)
  await writeOut(`deleted ${countOf(deleted, 'object')}\n`, signal)
  const missing = new Set(keys).size - deleted
  if (keys.length > 0 && missing > 0) printMessage(`${countOf(missing, 'key')} matched no object`)
}

async function sendDelete(
  { administration }: Endpoints,
  keys: readonly string[],
  { ontology, type: objectType, query, all }: DeleteOptions,
): Promise<number> {
  const type = { ontology, objectType }
  if (all === true) {
    // An empty replacement is one commit, however many objects there are.
    const replacement = await administration.startReplacement(type)
    return (await administration.publishReplacement(type, replacement)).deleted
  }
  if (query !== undefined) return (await administration.deleteByQuery(type, query)).deleted
  const lines = keys.map((key) => JSON.stringify({ delete: key })).join('\n')
  return (await administration.writeObjects(type, lines)).deleted
}

async function countMatches(
  { revision1 }: Endpoints,
  { ontology, type: objectType, query }: DeleteOptions,
): Promise<number> {
  const type = { ontology, objectType }
  const page =
    query === undefined
      ? await revision1.listObjects(type, { pageSize: 1 })
      : await revision1.searchObjects(type, { query, pageSize: 1 })
  return Number(page.totalCount ?? 0)
}

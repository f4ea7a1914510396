import type { Command } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { confirm } from '../confirm.ts'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import { printMessage, writeOut } from '../output.ts'
import { countOf } from '../progress.ts'
import {
  addServiceOptions,
  addTypeOptions,
  openClient,
  parseJson,
  parseText,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'

interface DeleteOptions extends ServiceOptions, TypeOptions {
  readonly query?: unknown
  readonly yes?: true
}

export function addDeleteCommand(program: Command): void {
  const command = program
    .command('delete')
    .description('Delete objects by primary key or by query, all of them or none.')
    .argument('[keys...]', 'primary keys of the objects', parseKey)
  addTypeOptions(command)
  command
    .option('--query <json>', 'delete all matches of a query of revision 1.0', parseJson)
    .option('--yes', 'do not ask for confirmation')
  addServiceOptions(command)
  addExamples(
    command,
    'oqs delete --ontology aviation --type airport GVA --yes',
    `oqs delete --ontology aviation --type airport --yes --query '{"type": "eq", "field": "properties.countryCode", "value": "XX"}'`,
  ).action((keys: string[], options: DeleteOptions) => {
    if (keys.length > 0 === (options.query !== undefined)) {
      const message = "error: specify either primary keys or '--query <json>'"
      command.error(message, { exitCode: 2 })
    }
    return untilInterrupted((signal) => deleteObjects(keys, options, signal))
  })
}

function parseKey(text: string, previous: string[] = []): string[] {
  return [...previous, parseText(text)]
}

async function deleteObjects(
  keys: readonly string[],
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = await openClient(options, signal)
  const { ontology, type: objectType, query } = options
  if (options.yes !== true) {
    const count = query === undefined ? keys.length : await countMatches(client, options)
    const objects = `${countOf(count, 'object')} of type ${objectType} from ${ontology}`
    if (!(await confirm(`Delete ${objects}?`, signal))) throw new Error('Nothing was deleted.')
  }
  // One request does all the work, so there are no steps to show.
  if (process.stderr.isTTY) printMessage('deleting …')
  const deleted = await sendDelete(client, keys, options)
  await writeOut(`deleted ${countOf(deleted, 'object')}\n`, signal)
  const missing = query === undefined ? new Set(keys).size - deleted : 0
  if (missing > 0) printMessage(`${countOf(missing, 'key')} had no object`)
}

async function sendDelete(
  { administration }: Endpoints,
  keys: readonly string[],
  { ontology, type: objectType, query }: DeleteOptions,
): Promise<number> {
  const type = { ontology, objectType }
  if (query !== undefined) return (await administration.deleteByQuery(type, query)).deleted
  const lines = keys.map((key) => JSON.stringify({ delete: key })).join('\n')
  return (await administration.writeObjects(type, lines)).deleted
}

async function countMatches(
  { revision1 }: Endpoints,
  { ontology, type: objectType, query }: DeleteOptions,
): Promise<number> {
  const page = await revision1.searchObjects({ ontology, objectType }, { query, pageSize: 1 })
  return Number(page.totalCount ?? 0)
}

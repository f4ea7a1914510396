import { type Command, Option } from 'commander'
import type { FlatRecord, ObjectChange } from '../../client/endpoints/pages.ts'
import { type OqsError, tokenRefusal } from '../../client/oqs-error.ts'
import { printMessage, writeOut } from '../output.ts'
import {
  addTypeOptions,
  parseList,
  parseText,
  runUntilStopped,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'
import { addWhere, combineWhere, type Where } from '../where-option.ts'

interface FollowCommandOptions extends ServiceOptions, TypeOptions {
  readonly since?: string
  readonly fromStart?: true
  readonly where?: Where
  readonly select?: string[]
  readonly tokens?: true
  readonly once?: true
}

const WHERE =
  'filter PROPERTY.OPERATOR=VALUE (operators: eq neq lt lte gt gte contains isNull), or a where of v2 as JSON; repeatable'

export function addFollowCommand(program: Command): void {
  const command = program
    .command('follow')
    .description('Print what changes as NDJSON: {"put": record}, {"delete": {"primaryKey": …}}.')
  addTypeOptions(command)
  command
    .addOption(
      new Option('--since <token>', 'changes after this token (default: from now on)')
        .argParser(parseText)
        .conflicts('fromStart'),
    )
    .option('--from-start', 'print all objects first, as of one point in time')
    .option('--where <filter>', WHERE, addWhere)
    .option('--select <names>', 'properties to print, comma-separated', parseList)
    .option('--tokens', 'also print {"nextChangesToken": …} whenever everything before is printed')
    .option('--once', 'stop when all changes are printed')
  const examples = [
    'oqs follow --ontology aviation --type airport',
    'oqs follow --ontology aviation --type airport --from-start --once --where countryCode.eq=CH --select name',
    'oqs follow --ontology aviation --type airport --from-start --once --tokens > airports.ndjson',
  ]
  runUntilStopped(command, examples, follow, () => undefined)
}

async function follow({ client, options, signal }: ServiceContext<FollowCommandOptions>) {
  const { ontology, type, where, select, fromStart, once, tokens } = options
  const { followType } = await import('../../client/query/object-set-query.ts')
  const path = { ontology, objectType: type }
  const query = { conditions: combineWhere(where), select }
  const since = fromStart ? undefined : (options.since ?? 'now')
  const pages = followType(client, path, query, { since, wait: once ? 0 : undefined })
  let token: string | undefined
  try {
    for await (const { changes, nextChangesToken } of pages) {
      const lines = changes.map((change) => `${JSON.stringify(shownChange(change))}\n`)
      if (tokens && nextChangesToken !== undefined) {
        lines.push(`${JSON.stringify({ nextChangesToken })}\n`)
      }
      if (lines.length > 0) await writeOut(lines.join(''), signal)
      token = nextChangesToken ?? token
    }
  } catch (error) {
    const reason = tokenRefusal(error)
    throw reason === undefined ? error : new Error(describeRefusal(reason, error as OqsError))
  } finally {
    if (token !== undefined && !tokens) {
      printMessage(`to continue, repeat the command with --since ${token}`)
    }
  }
}

/** Shows objects like the other commands. */
function shownChange(change: ObjectChange<FlatRecord>): object {
  if (!('put' in change)) return change
  const { __rid: rid, __primaryKey, __apiName, __title, ...properties } = change.put
  return { put: { rid, properties } }
}

function describeRefusal(reason: string, { message }: OqsError): string {
  if (reason === 'other request') {
    return `${message} A token continues only the command that printed it: repeat its --type, --where and --select. It can also come from a v2 request for the same objects.`
  }
  return `${message} What has changed since cannot be told any more: start again with --from-start.`
}

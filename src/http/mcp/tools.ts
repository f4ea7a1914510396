/** The tools of agents: one table, and how a call is checked, run and answered. */
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { ERRORS, type ErrorName } from '../../contract/error-catalogue.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { describeMisfit } from '../../ontology/definition/describe-misfit.ts'
import { reportError, shortened } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { aggregateObjects } from './aggregate-tool.ts'
import { describeType, listTypes } from './describe-tools.ts'
import { followLink, getObject, searchObjects } from './read-tools.ts'
import type { Tool } from './tool.ts'

export const TOOLS: readonly Tool[] = [
  listTypes,
  describeType,
  searchObjects,
  getObject,
  followLink,
  aggregateObjects,
]

interface ToolResult {
  readonly [name: string]: unknown
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: boolean
}

/** Runs a tool. An error becomes a result, which an agent can read and act on. */
export async function callTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  request: FastifyRequest,
  services: Services,
): Promise<ToolResult> {
  const tool = TOOLS.find((one) => one.name === name)
  try {
    if (tool === undefined) {
      const names = TOOLS.map((one) => one.name).join(', ')
      throw invalidArgument('name', `is not a tool; the tools are ${names}`)
    }
    request.context.noteAudit({ operation: `mcp.${tool.name}` })
    checkArguments(tool, args)
    const answer = await tool.run(args as never, { request, services })
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
  } catch (error) {
    const text = describeError(error, request, services)
    return { content: [{ type: 'text', text }], isError: true }
  }
}

const ajv = new Ajv({ strict: false, verbose: true, validateSchema: false })
const VALIDATORS: ReadonlyMap<Tool, ValidateFunction> = new Map(
  TOOLS.map((tool) => [tool, ajv.compile(tool.strict)]),
)

function checkArguments(tool: Tool, args: unknown): void {
  const validate = VALIDATORS.get(tool)
  if (validate === undefined || validate(args)) return
  const { path, reason } = describeMisfit(validate.errors?.[0], 'parameters')
  throw invalidArgument(path, reason)
}

/** What an agent can do about an error, where its description does not say it in the words of tools. */
const HINTS: Partial<Record<ErrorName, string>> = {
  OntologyNotFound: 'list_types without arguments names the ontologies.',
  ObjectTypeNotFound: 'list_types names the object types of an ontology.',
  PropertiesNotFound: 'describe_type names the properties.',
  LinkTypeNotFound: 'describe_type names the links.',
  ObjectNotFound: 'search_objects finds objects and their primary keys.',
  PropertyTypesSearchNotSupported:
    'describe_type lists the conditions that each property supports.',
  InvalidPageToken:
    'A cursor expires after some minutes, and belongs to the other arguments of its call. Repeat them unchanged, or start again without a cursor.',
  AggregationGroupCountExceededLimit: 'Set maxGroupCount in groupBy, or narrow where.',
}

function describeError(error: unknown, request: FastifyRequest, services: Services): string {
  const { errorName, parameters } = reportError(error, request, services)
  // Its description and its tokens are about walks over HTTP.
  const isCursor = errorName === 'InvalidPageToken'
  const sentences = [isCursor ? '' : ERRORS[errorName].description, HINTS[errorName] ?? '']
  const { continueToken: _, snapshotToken: __, ...shown } = parameters
  const details = {
    ...shortened(shown),
    ...(errorName === 'Default:Internal' && { errorInstanceId: request.id }),
  }
  const text = sentences.filter((sentence) => sentence !== '').join(' ')
  return `${errorName}: ${text}\n${JSON.stringify(details)}`
}

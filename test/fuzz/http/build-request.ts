/** Builds a request that is valid by the description of its operation. */
import type { ObjectTypeDefinition } from '../../../src/ontology/definition/definition-schema.ts'
import type { Random } from '../random.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { BodyKind, OpenApiDocument, Operation, Parameter } from './openapi-operations.ts'
import { SchemaSampler } from './schema-sampler.ts'
import { DEFINITIONS, type KnownNames, makeObject, namesOf } from './world.ts'

export function buildRequest(
  operation: Operation,
  document: OpenApiDocument,
  random: Random,
): FuzzRequest {
  const definition = random.pick(DEFINITIONS)
  const type = random.pick(definition.objectTypes)
  const names = namesOf(definition, type)
  const sampler = new SchemaSampler(random, document, names)
  const followsExample = random.chance(0.6)
  const valueFor = ({ name, schema, example }: Parameter) => {
    const value = followsExample && example !== undefined ? example : sampler.sample(schema, name)
    // Nothing changes while a request waits, so it would take all of its time.
    return name === 'wait' && Number(value) > 1 ? 1 : value
  }
  let path = operation.path
  const query: [string, string][] = []
  const headers: [string, string][] = [['authorization', 'Bearer {{admin}}']]
  for (const parameter of operation.parameters) {
    const { name, in: where, required, example } = parameter
    if (!required && !random.chance(followsExample && example !== undefined ? 0.5 : 0.15)) {
      continue
    }
    const value = valueFor(parameter)
    if (where === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (where === 'header') headers.push([name, String(value)])
    else query.push(...queryPairs(name, value, names, random))
  }

  const search = new URLSearchParams(query)
    .toString()
    .replaceAll('%7B%7B', '{{')
    .replaceAll('%7D%7D', '}}')
  const request: FuzzRequest = {
    operation: operation.id,
    method: operation.method,
    target: search === '' ? path : `${path}?${search.replaceAll('%3A', ':')}`,
    headers,
  }
  if (operation.bodies.length === 0) return request
  const kind = random.pick(operation.bodies)
  const body = bodyText(kind, sampler, random, followsExample, type)
  return { ...request, headers: [...headers, ['content-type', kind.contentType]], body }
}

function queryPairs(
  name: string,
  value: unknown,
  names: KnownNames,
  random: Random,
): [string, string][] {
  if (Array.isArray(value)) return value.map((one) => [name, String(one)])
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  // Free parameters, such as filters.
  const pairs = Object.entries(value as object).map(([key, one]): [string, string] => [
    key.includes('.') ? key : String(random.pick(names['filters'] ?? [])),
    String(one),
  ])
  return pairs
}

function bodyText(
  { contentType, schema, examples }: BodyKind,
  sampler: SchemaSampler,
  random: Random,
  followsExample: boolean,
  type: ObjectTypeDefinition,
): string {
  if (contentType === 'application/x-ndjson' && !followsExample) return batchLines(type, random)
  const value =
    followsExample && examples.length > 0 ? random.pick(examples) : sampler.sample(schema)
  if (typeof value === 'string') return value
  return contentType === 'application/x-www-form-urlencoded'
    ? new URLSearchParams(value as Record<string, string>).toString()
    : JSON.stringify(value)
}

function batchLines(type: ObjectTypeDefinition, random: Random): string {
  const lines = Array.from({ length: 1 + random.below(4) }, () =>
    random.chance(0.8)
      ? { put: makeObject(type, random.below(40)) }
      : { delete: String(random.below(40)) },
  )
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

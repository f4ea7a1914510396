/** The operations of an `openapi.json`, in the form that requests are generated from. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >
  readonly security?: readonly object[]
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A body that an operation accepts. */
export interface BodyKind {
  readonly contentType: string
  readonly schema: Schema
  readonly examples: readonly unknown[]
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly BodyKind[]
  /** The content types of each declared status; none for a status without a body. */
  readonly responses: ReadonlyMap<string, readonly string[]>
  readonly needsToken: boolean
}

export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      bodies: Object.entries(operation.requestBody?.content ?? {}).map(bodyKind),
      responses: new Map(
        Object.entries(operation.responses).map(([status, { content = {} }]) => [
          status,
          Object.keys(content),
        ]),
      ),
      needsToken: operation.security?.length !== 0,
    })),
  )
}

function bodyKind([contentType, { schema = {}, example, examples = {} }]: [
  string,
  Media,
]): BodyKind {
  const all = [example, ...Object.values(examples).map(({ value }) => value)]
  return { contentType, schema, examples: all.filter((one) => one !== undefined) }
}

/** Returns a function that finds the operation of a method and a path; the most specific wins. */
export function operationFinder(
  operations: readonly Operation[],
): (method: string, path: string) => Operation | undefined {
  const patterns = operations
    .map((operation) => ({
      operation,
      parameters: operation.path.split('{').length,
      pattern: new RegExp(
        `^${operation.path.replaceAll('.', '\\.').replaceAll(/{[^}]+}/g, '[^/]+')}$`,
      ),
    }))
    .sort((a, b) => a.parameters - b.parameters)
  return (method, path) =>
    patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
      ?.operation
}

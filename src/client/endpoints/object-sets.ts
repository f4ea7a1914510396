/** The v2 endpoints for object sets and actions, one method each. */
import { type CallOptions, type Connection, type ServiceRequest, segment } from '../connection.ts'
import { type IdempotentCallOptions, newIdempotencyKey } from '../idempotency-key.ts'
import { OqsError } from '../oqs-error.ts'
import type { FlatRecord, Page, PageOptions, TypePath } from './pages.ts'
import { readPage } from './read-page.ts'
import type { AggregateResponse } from './revision-1.ts'

/** An object set as v2 describes it: `base`, `filter`, `union`, `searchAround` and so on. */
export interface ObjectSetDefinition {
  readonly type: string
  readonly [member: string]: unknown
}

export interface LoadRequest extends PageOptions {
  readonly objectSet: ObjectSetDefinition
  readonly orderBy?: { readonly orderType?: string; readonly fields: readonly object[] } | undefined
  readonly select?: readonly string[]
  readonly excludeRid?: boolean | undefined
}

export interface AggregateSetRequest {
  readonly objectSet: ObjectSetDefinition
  readonly aggregation: readonly object[]
  readonly groupBy: readonly object[]
  readonly accuracy?: 'REQUIRE_ACCURATE' | 'ALLOW_APPROXIMATE' | undefined
}

/** The body of a search of one type. */
export interface ObjectSearchRequest extends PageOptions {
  readonly where?: object | undefined
  readonly orderBy?: { readonly fields: readonly object[] } | undefined
  /** All properties if both lists are empty. */
  readonly select: readonly string[]
  readonly selectV2: readonly object[]
}

export interface ObjectAggregateRequest {
  readonly where?: object | undefined
  readonly aggregation: readonly object[]
  readonly groupBy: readonly object[]
  /** Counts the objects of this version; of the newest by default. */
  readonly version?: number | undefined
}

export interface ActionRequest<Parameters = Readonly<Record<string, unknown>>> {
  readonly parameters: Parameters
  readonly options?: Readonly<Record<string, unknown>>
}

export interface ActionResult {
  readonly validation?: ActionValidation
  /** What was written, with the option `returnEdits`. */
  readonly edits?: unknown
}

export interface ActionValidation {
  readonly result: 'VALID' | 'INVALID'
  readonly submissionCriteria: readonly unknown[]
  readonly parameters: Readonly<Record<string, unknown>>
}

export class ObjectSets {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Reads the complete metadata of an ontology. */
  getFullMetadata(ontology: string, call: CallOptions = {}): Promise<unknown> {
    const path = `${v2Path(ontology)}/fullMetadata`
    return this.#connection.send({ ...call, path, query: { preview: true } })
  }

  loadObjects(
    ontology: string,
    request: LoadRequest,
    call: CallOptions = {},
  ): Promise<Page<FlatRecord>> {
    return readPage(this.#connection, {
      ...call,
      method: 'POST',
      path: `${v2Path(ontology)}/objectSets/loadObjects`,
      json: { select: [], ...request },
    })
  }

  aggregate(
    ontology: string,
    request: AggregateSetRequest,
    call: CallOptions = {},
  ): Promise<AggregateResponse> {
    return readPage(this.#connection, {
      ...call,
      method: 'POST',
      path: `${v2Path(ontology)}/objectSets/aggregate`,
      json: request,
    })
  }

  /** Stores an object set for an hour; returns its RID. */
  async createTemporary(
    ontology: string,
    objectSet: ObjectSetDefinition,
    call: CallOptions = {},
  ): Promise<string> {
    const { objectSetRid } = await this.#connection.send<{ objectSetRid: string }>({
      ...call,
      method: 'POST',
      path: `${v2Path(ontology)}/objectSets/createTemporary`,
      json: { objectSet },
      // A set that is created twice and never used expires.
      isRepeatable: true,
    })
    return objectSetRid
  }

  getObjectSet(
    ontology: string,
    objectSetRid: string,
    call: CallOptions = {},
  ): Promise<ObjectSetDefinition> {
    const path = `${v2Path(ontology)}/objectSets/${segment(objectSetRid)}`
    return this.#connection.send({ ...call, path })
  }

  /** Searches the objects of a type, which need not be a set. */
  searchObjects(
    type: TypePath,
    request: ObjectSearchRequest,
    call: CallOptions = {},
  ): Promise<Page<FlatRecord>> {
    return readPage(this.#connection, { ...objectSearchRequest(type, request), ...call })
  }

  aggregateObjects(
    type: TypePath,
    request: ObjectAggregateRequest,
    call: CallOptions = {},
  ): Promise<AggregateResponse> {
    return readPage(this.#connection, { ...objectAggregateRequest(type, request), ...call })
  }

  /** Applies an action once, even if the request must be repeated; throws if it is not applied. */
  async applyAction(
    ontology: string,
    action: string,
    request: ActionRequest,
    call: IdempotentCallOptions = {},
  ): Promise<ActionResult> {
    const path = `${v2Path(ontology)}/actions/${segment(action)}/apply`
    const result = await this.#act<ActionResult>(path, request, call)
    const { validation } = result
    if (validation?.result !== 'INVALID') return result
    // The response has status 200, but nothing was written.
    const errorDescription = 'The action was not applied: its parameters are not valid.'
    const parameters = { actionType: action, parameters: invalidParameters(validation) }
    throw new OqsError(
      {
        errorName: 'ActionValidationFailed',
        errorCode: 'INVALID_ARGUMENT',
        errorDescription,
        parameters,
      },
      { statusCode: 200 },
    )
  }

  applyActionBatch<Result = unknown>(
    ontology: string,
    action: string,
    requests: readonly { readonly parameters: Readonly<Record<string, unknown>> }[],
    call: IdempotentCallOptions = {},
  ): Promise<Result> {
    const path = `${v2Path(ontology)}/actions/${segment(action)}/applyBatch`
    return this.#act(path, { requests }, call)
  }

  /** Checks the parameters of an action, and changes nothing. */
  validateAction(
    ontology: string,
    action: string,
    parameters: Readonly<Record<string, unknown>>,
    call: CallOptions = {},
  ): Promise<ActionValidation> {
    return this.#connection
      .send<{ validation: ActionValidation }>({
        ...call,
        method: 'POST',
        path: `${v2Path(ontology)}/actions/${segment(action)}/apply`,
        json: { parameters, options: { mode: 'VALIDATE_ONLY' } },
        isRepeatable: true,
      })
      .then(({ validation }) => validation)
  }

  #act<Result>(
    path: string,
    json: unknown,
    { idempotencyKey = newIdempotencyKey(), ...call }: IdempotentCallOptions,
  ): Promise<Result> {
    const headers = { 'idempotency-key': idempotencyKey }
    return this.#connection.send({
      ...call,
      method: 'POST',
      path,
      headers,
      json,
      isRepeatable: true,
    })
  }
}

function invalidParameters({ parameters }: ActionValidation): string[] {
  const results = Object.entries(parameters) as [string, { readonly result?: string }][]
  return results.filter(([, { result }]) => result === 'INVALID').map(([name]) => name)
}

function v2Path(ontology: string): string {
  return `/api/v2/ontologies/${segment(ontology)}`
}

export function objectSearchRequest(type: TypePath, json: ObjectSearchRequest): ServiceRequest {
  return { method: 'POST', path: `${v2ObjectsPath(type)}/search`, json }
}

export function objectAggregateRequest(
  type: TypePath,
  json: ObjectAggregateRequest,
): ServiceRequest {
  return { method: 'POST', path: `${v2ObjectsPath(type)}/aggregate`, json }
}

function v2ObjectsPath({ ontology, objectType }: TypePath): string {
  return `${v2Path(ontology)}/objects/${segment(objectType)}`
}

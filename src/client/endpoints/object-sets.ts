/** The v2 endpoints for object sets and actions, one method each. */
import { pathOf } from '../addresses.ts'
import type { CallOptions, IdempotentCallOptions, ServiceRequest } from '../connection.ts'
import { OqsError } from '../oqs-error.ts'
import { EndpointGroup } from './endpoint-group.ts'
import type { ChangesPage, FlatRecord, Page, PageOptions, TypePath } from './pages.ts'
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

/** The body of a request for the changes of an object set. */
export interface ChangesRequest extends Omit<PageOptions, 'snapshot'> {
  readonly objectSet: ObjectSetDefinition
  /** A `nextChangesToken`, `now`, or the version of the type that a page showed. */
  readonly since: string
  /** How many seconds to wait for changes. */
  readonly wait?: number | undefined
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
  readonly orderBy?: { readonly orderType?: string; readonly fields: readonly object[] } | undefined
  /** All properties if both lists are empty. */
  readonly select: readonly string[]
  readonly selectV2: readonly object[]
  readonly excludeRid?: boolean | undefined
}

/** Metrics and groups of the objects that match a condition. */
export interface ObjectAggregation {
  readonly where?: object | undefined
  readonly aggregation: readonly object[]
  readonly groupBy: readonly object[]
}

export interface ObjectAggregateRequest extends ObjectAggregation {
  /** Counts the objects of this version; of the newest by default. */
  readonly version?: number | undefined
}

export interface AggregateBatchRequest {
  readonly aggregations: readonly ObjectAggregation[]
  /** The version that all of them read; the newest by default. */
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

export interface SliceOptions {
  /** The number of slices. */
  readonly count: number
  /** Properties of the records, comma-separated. */
  readonly select?: string | undefined
  readonly excludeRid?: boolean | undefined
}

export class ObjectSets extends EndpointGroup {
  /** Divides a snapshot of a type. Returns the first page token of each slice, in key order. */
  async sliceObjects(
    { ontology, objectType }: TypePath,
    options: SliceOptions,
    call?: CallOptions,
  ): Promise<readonly string[]> {
    const path = pathOf`/api/v2/ontologies/${ontology}/slices/${objectType}`
    const { pageTokens } = await this.connection.send<{ readonly pageTokens: readonly string[] }>({
      ...call,
      method: 'POST',
      path,
      query: { ...options },
      isRepeatable: true,
    })
    return pageTokens
  }

  /** Reads the complete metadata of an ontology. */
  getFullMetadata(ontology: string, call?: CallOptions): Promise<unknown> {
    const query = { preview: true }
    return this.get(pathOf`/api/v2/ontologies/${ontology}/fullMetadata`, call, query)
  }

  loadObjects(
    ontology: string,
    request: LoadRequest,
    call?: CallOptions,
  ): Promise<Page<FlatRecord>> {
    const path = pathOf`/api/v2/ontologies/${ontology}/objectSets/loadObjects`
    return this.page({ method: 'POST', path, json: { select: [], ...request } }, call)
  }

  /** Returns what has changed since a token, each object once. */
  loadChanges(
    ontology: string,
    request: ChangesRequest,
    call?: CallOptions,
  ): Promise<ChangesPage<FlatRecord>> {
    const path = pathOf`/api/v2/ontologies/${ontology}/objectSets/changes`
    return this.page({ method: 'POST', path, json: { select: [], ...request } }, call)
  }

  aggregate(
    ontology: string,
    json: AggregateSetRequest,
    call?: CallOptions,
  ): Promise<AggregateResponse> {
    const path = pathOf`/api/v2/ontologies/${ontology}/objectSets/aggregate`
    return this.page({ method: 'POST', path, json }, call)
  }

  /** Stores an object set for an hour; returns its RID. */
  async createTemporary(
    ontology: string,
    objectSet: ObjectSetDefinition,
    call?: CallOptions,
  ): Promise<string> {
    const path = pathOf`/api/v2/ontologies/${ontology}/objectSets/createTemporary`
    // A set that is created twice and never used expires.
    const request = {
      ...call,
      method: 'POST',
      path,
      json: { objectSet },
      isRepeatable: true,
    } as const
    return (await this.connection.send<{ objectSetRid: string }>(request)).objectSetRid
  }

  getObjectSet(
    ontology: string,
    objectSetRid: string,
    call?: CallOptions,
  ): Promise<ObjectSetDefinition> {
    return this.get(pathOf`/api/v2/ontologies/${ontology}/objectSets/${objectSetRid}`, call)
  }

  /** Searches the objects of a type, which need not be a set. */
  searchObjects(
    type: TypePath,
    request: ObjectSearchRequest,
    call?: CallOptions,
  ): Promise<Page<FlatRecord>> {
    return this.page(objectSearchRequest(type, request), call)
  }

  aggregateObjects(
    type: TypePath,
    request: ObjectAggregateRequest,
    call?: CallOptions,
  ): Promise<AggregateResponse> {
    return this.page(objectAggregateRequest(type, request), call)
  }

  /** Runs several aggregations of one version in one request; returns their results in order. */
  async aggregateBatch(
    type: TypePath,
    json: AggregateBatchRequest,
    call?: CallOptions,
  ): Promise<readonly AggregateResponse[]> {
    const request = aggregateBatchRequest(type, json)
    return (await this.page<{ data: readonly AggregateResponse[] }>(request, call)).data
  }

  /** Applies an action once, even if the request must be repeated; throws if it is not applied. */
  async applyAction(
    ontology: string,
    action: string,
    json: ActionRequest,
    call?: IdempotentCallOptions,
  ): Promise<ActionResult> {
    const path = applyPath(ontology, action)
    const result = await this.write<ActionResult>({ method: 'POST', path, json }, call)
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
    call?: IdempotentCallOptions,
  ): Promise<Result> {
    const path = `${applyPath(ontology, action)}Batch`
    return this.write({ method: 'POST', path, json: { requests } }, call)
  }

  /** Checks the parameters of an action, and changes nothing. */
  async validateAction(
    ontology: string,
    action: string,
    parameters: Readonly<Record<string, unknown>>,
    call?: CallOptions,
  ): Promise<ActionValidation> {
    const { validation } = await this.connection.send<{ validation: ActionValidation }>({
      ...call,
      method: 'POST',
      path: applyPath(ontology, action),
      json: { parameters, options: { mode: 'VALIDATE_ONLY' } },
      isRepeatable: true,
    })
    return validation
  }
}

function invalidParameters({ parameters }: ActionValidation): string[] {
  const results = Object.entries(parameters) as [string, { readonly result?: string }][]
  return results.filter(([, { result }]) => result === 'INVALID').map(([name]) => name)
}

function applyPath(ontology: string, action: string): string {
  return pathOf`/api/v2/ontologies/${ontology}/actions/${action}/apply`
}

export function objectSearchRequest(
  { ontology, objectType }: TypePath,
  json: ObjectSearchRequest,
): ServiceRequest {
  const path = pathOf`/api/v2/ontologies/${ontology}/objects/${objectType}/search`
  return { method: 'POST', path, json }
}

export function objectAggregateRequest(
  { ontology, objectType }: TypePath,
  json: ObjectAggregateRequest,
): ServiceRequest {
  const path = pathOf`/api/v2/ontologies/${ontology}/objects/${objectType}/aggregate`
  return { method: 'POST', path, json }
}

export function aggregateBatchRequest(
  { ontology, objectType }: TypePath,
  json: AggregateBatchRequest,
): ServiceRequest {
  const path = pathOf`/api/v2/ontologies/${ontology}/objects/${objectType}/aggregateBatch`
  return { method: 'POST', path, json }
}

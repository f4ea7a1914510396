/** What the audit log says about a request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { AuditCaller, AuditEntry, AuditOutcome } from '../../contract/audit-record.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { Services } from '../services.ts'
import { clientAddress } from './client-address.ts'

/** An operation as the audit log names it. */
export interface AuditedOperation {
  readonly operation: string
  readonly kind: AuditEntry['kind']
}

/** Describes a request as far as it was handled. */
export function describeRequest(
  request: FastifyRequest,
  { operation, kind }: AuditedOperation,
  { now, trustedProxies }: Services,
): AuditEntry {
  const caller = auditCaller(request)
  const { dryRun } = (request.query ?? {}) as { readonly dryRun?: unknown }
  return {
    atMs: now(),
    requestId: request.id,
    operation,
    kind,
    ...(caller === undefined ? {} : { caller }),
    address: clientAddress(request, trustedProxies),
    ...namesOf(request),
    ...(dryRun === true ? { dryRun } : {}),
  }
}

/** Describes how a request ended. The response of a write is not sent yet when it is recorded. */
export function outcomeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  isSent: boolean,
): AuditOutcome {
  const { context, errorName } = request
  const { readObjects: objects } = context
  const { writtenKeys } = context.auditFacts
  const isFailure = errorName !== undefined || reply.statusCode >= 400
  return {
    outcome: isFailure ? 'failure' : isSent ? 'success' : 'disconnected',
    ...(errorName === undefined ? {} : { errorName }),
    ...(objects === undefined ? {} : { objects }),
    ...(writtenKeys === undefined ? {} : { keys: writtenKeys }),
  }
}

function auditCaller({ caller, context }: FastifyRequest): AuditCaller | undefined {
  const known = caller as Caller | undefined
  if (known === undefined) return context.auditFacts.oauthClient
  const { id, name, credential } = known
  if (credential.kind !== 'apiToken') return { id, name }
  const { tokenId, clientId } = credential
  return { id, name, tokenId, ...(clientId === undefined ? {} : { clientId }) }
}

interface NamedPath extends OntologyName {
  readonly objectType?: string
}

/** Returns the API names of what a request is about. Names that do not exist are left out. */
function namesOf({
  params,
  catalogue,
  context,
}: FastifyRequest): Pick<AuditEntry, 'ontology' | 'objectTypes'> {
  const { readTypes, auditFacts } = context
  const path: NamedPath = auditFacts.namedType ?? (params as NamedPath | null) ?? {}
  const known = catalogue as Catalogue | undefined
  const ontology = known?.index.findNamed(path)
  if (known === undefined || ontology === undefined) return {}
  // Not loaded if the request was refused early, or if the ontology is hidden from its caller.
  const definition = known.isLoaded(path) ? known.find(ontology.rid) : undefined
  const named = definition?.objectTypes.get(path.objectType ?? '')
  const objectTypes = readTypes === undefined ? (named ? [named.apiName] : []) : [...readTypes]
  return { ontology: ontology.apiName, ...(objectTypes.length === 0 ? {} : { objectTypes }) }
}

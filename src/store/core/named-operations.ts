/** The operations that a thread or process can run by their name. */

import { AUDIT_READS, AUDIT_WRITES } from './audit/stored-audit-log.ts'
import { tryNextObjects } from './changes/try-next-objects.ts'
import { savePageTokenKey, TOKEN_WRITES } from './credentials/api-tokens.ts'
import { DEFINITION_BUILDS } from './definitions/save-ontology.ts'
import { DOCUMENT_WRITES } from './documents/stored-documents.ts'
import { listChanges } from './history/list-changes.ts'
import { MAINTENANCE_WRITES } from './maintenance/reclaim.ts'
import { splitKeys } from './pages/split-keys.ts'
import type { CoreSession, Operation, ReadSession } from './session/session.ts'
import type { NamedOperation } from './session/store-operations.ts'
import type { TableBuilder } from './tables/construction.ts'
import { cancelChange } from './tables/definition-changes.ts'
import { REPLACEMENT_BUILDS, touchReplacement } from './tables/replacements.ts'

/** The name of an operation, and its input, which is plain data. */
export interface OperationMessage {
  readonly name: string
  readonly input: unknown
}

const WRITES = byName<CoreSession>([
  ...TOKEN_WRITES,
  savePageTokenKey,
  ...DOCUMENT_WRITES,
  ...AUDIT_WRITES,
  ...MAINTENANCE_WRITES,
  cancelChange,
  touchReplacement,
])
const BUILDS = byName<TableBuilder>([...DEFINITION_BUILDS, ...REPLACEMENT_BUILDS])
const SLOW_READS = byName<ReadSession>([...AUDIT_READS, tryNextObjects, listChanges, splitKeys])

export function writeNamed(session: CoreSession, message: OperationMessage): Operation<unknown> {
  return findOperation(WRITES, message)(session, message.input)
}

export function readNamed(session: ReadSession, message: OperationMessage): Operation<unknown> {
  return findOperation(SLOW_READS, message)(session, message.input)
}

export function buildNamed(builder: TableBuilder, message: OperationMessage): Operation<unknown> {
  return findOperation(BUILDS, message)(builder, message.input)
}

type Run<Session> = (session: Session, input: unknown) => Operation<unknown>

function byName<Session>(
  operations: readonly NamedOperation<Session, never, unknown>[],
): ReadonlyMap<string, Run<Session>> {
  // The sender of a message gives an operation the input that its type demands.
  return new Map(operations.map(({ name, run }) => [name, run as Run<Session>]))
}

function findOperation<Session>(
  operations: ReadonlyMap<string, Run<Session>>,
  { name }: OperationMessage,
): Run<Session> {
  const run = operations.get(name)
  if (run === undefined) throw new Error(`no operation is named ${name}; add it to the list`)
  return run
}

/**
 * The position of `oqs sync` in its source: the last transaction that was committed here. It is
 * stored in the transaction of the commit, as a document that never expires.
 */
import type { DocumentKind } from '../../port/credentials.ts'
import type { AppliedTransactions, Commit, SourceId, SourceTransaction } from '../../port/writes.ts'
import { type CoreSession, json, type Operation } from '../session/session.ts'

const KIND: DocumentKind = 'sourcePosition'
const POSITION = { position: json<string> } as const

/** Returns the id of the document; no name of a source has a space. */
export function positionId({ ontologyRid, source }: SourceId): string {
  return positionPrefix(ontologyRid) + source
}

/** Returns what the documents of all sources of an ontology begin with. */
export function positionPrefix(ontologyRid: string): string {
  return `${ontologyRid} `
}

/** Locks the position until the end of the transaction, and returns it; empty if there was none. */
function* lockPosition(session: CoreSession, id: string): Operation<string> {
  const row = yield* session.find(
    `INSERT INTO oqs_document AS stored (kind, id, body) VALUES (?, ?, '""')
     ON CONFLICT (kind, id) DO UPDATE SET body = stored.body RETURNING body`,
    [KIND, id],
    POSITION,
    { isPrepared: true },
  )
  return row?.position ?? ''
}

/** What a store does with the transactions of a request that are new. */
export interface AppliedCommits extends AppliedTransactions {
  readonly commits: readonly Commit[]
}

/** Applies the transactions behind the stored position, and stores the position of the last one. */
export function* applyBehindPosition<Transaction extends Pick<SourceTransaction, 'position'>>(
  session: CoreSession,
  id: string,
  transactions: readonly Transaction[],
  apply: (transactions: readonly Transaction[]) => Operation<readonly Commit[]>,
): Operation<AppliedCommits> {
  const position = yield* lockPosition(session, id)
  const fresh = transactions.filter((transaction) => transaction.position > position)
  const last = fresh.at(-1)
  if (last === undefined) return { position, applied: 0, commits: [] }
  const commits = yield* apply(fresh)
  yield* session.run(
    'UPDATE oqs_document SET body = ? WHERE kind = ? AND id = ?',
    [JSON.stringify(last.position), KIND, id],
    { isPrepared: true },
  )
  return { position: last.position, applied: fresh.length, commits }
}

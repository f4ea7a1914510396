/** A list of tokens or clients: create, revoke. */

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { Button, Icon } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useNow, useTask } from '../ui/use-task.ts'
import styles from './admin.module.css'
import { type Credential, type CredentialKind, revokeRequest } from './admin-queries.ts'
import { AdminHead } from './admin-screen.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { scopeName } from './credential-draft.ts'
import { describeTime, fullTime } from './describe-time.ts'

export interface CredentialScreenProps<Item extends Credential>
  extends Omit<CredentialTableProps<Item>, 'items' | 'onRevoke'> {
  readonly kind: CredentialKind
  /** What one of them is called. */
  readonly noun: string
  /** Undefined until they are known. */
  readonly items: readonly Item[] | undefined
  readonly error: Error | null
  readonly onRetry: () => void
  /** Stands in place of an empty table. */
  readonly empty: string
  /** Controls beside the title. */
  readonly tools?: ReactNode
  /** Returns a sentence about what ends with one. */
  readonly endingOf: (item: Item) => string
}

export function CredentialScreen<Item extends Credential>(props: CredentialScreenProps<Item>) {
  const { kind, noun, items, error, onRetry, empty, tools, endingOf, ...table } = props
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Item>()
  return (
    <>
      <AdminHead title={table.label}>
        {tools}
        <Button kind="primary" className="ml-auto" onClick={() => setCreating(true)}>
          <Icon name="plus" size={14} /> New {noun}
        </Button>
      </AdminHead>
      {error !== null && <ErrorNote error={error} onRetry={onRetry} />}
      {items?.length === 0 && <p className="text-muted text-base leading-5">{empty}</p>}
      {items !== undefined && items.length > 0 && (
        <CredentialTable {...table} items={items} onRevoke={setRevoking} />
      )}
      {isCreating && <CreateDialog kind={kind} onClose={() => setCreating(false)} />}
      {revoking !== undefined && (
        <RevokeDialog kind={kind} item={revoking} onClose={() => setRevoking(undefined)}>
          {endingOf(revoking)}
        </RevokeDialog>
      )}
    </>
  )
}

interface CredentialTableProps<Item extends Credential> {
  readonly label: string
  readonly items: readonly Item[]
  /** The text below the name. */
  readonly detailOf: (item: Item) => ReactNode
  /** Why an item cannot be used any more; undefined if it can be used and revoked. */
  readonly endOf: (item: Item) => string | undefined
  readonly onRevoke: (item: Item) => void
}

function CredentialTable<Item extends Credential>(props: CredentialTableProps<Item>) {
  const { label, items, detailOf, endOf, onRevoke } = props
  const nowMs = useNow()
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Scopes</th>
          <th scope="col">Ontologies</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col">Expires</th>
          <th scope="col">
            <span className="sr-only">Revoke</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const end = endOf(item)
          return (
            <tr key={item.id} className={end === undefined ? undefined : styles.ended}>
              <th scope="row">
                {item.name}
                {detailOf(item)}
              </th>
              <td data-label="Scopes">
                <Scopes scopes={item.scopes} />
              </td>
              <td data-label="Ontologies">{item.ontologies?.join(', ') ?? 'all'}</td>
              <td data-label="Created">
                <Time time={item.createdAt} nowMs={nowMs} otherwise="" />
              </td>
              <td data-label="Last used">
                <Time time={item.lastUsedAt} nowMs={nowMs} otherwise="never" />
              </td>
              <td data-label="Expires">
                <Time time={item.expiresAt} nowMs={nowMs} otherwise="never" />
              </td>
              <td className={styles.act}>
                {end ?? (
                  <Button
                    kind="danger"
                    aria-label={`Revoke ${item.name}`}
                    onClick={() => onRevoke(item)}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <span
          key={scope}
          className={`py-0 px-2 border rounded-[10px] bg-raised text-sm leading-4.5 ${scope === 'api:admin' ? 'border-warn text-warn' : 'border-line'}`}
          title={scope}
        >
          {scopeName(scope)}
        </span>
      ))}
    </span>
  )
}

interface TimeProps {
  readonly time: string | undefined
  readonly nowMs: number
  readonly otherwise: string
}

function Time({ time, nowMs, otherwise }: TimeProps) {
  if (time === undefined) return <span className="text-muted">{otherwise}</span>
  return (
    <time dateTime={time} title={fullTime(time)}>
      {describeTime(time, nowMs)}
    </time>
  )
}

interface RevokeDialogProps {
  readonly kind: CredentialKind
  readonly item: Credential
  /** A sentence about the tokens that end with it. */
  readonly children: ReactNode
  readonly onClose: () => void
}

function RevokeDialog({ kind, item, children, onClose }: RevokeDialogProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const { run, isBusy, error } = useTask()
  const revoke = () =>
    run(async () => {
      await service.connection.send(revokeRequest(kind, item.id))
      onClose()
      await client.invalidateQueries({ queryKey: ['admin', kind] })
    })
  return (
    <Dialog
      label={`Revoke ${item.name}`}
      title={`Revoke ${item.name}?`}
      width={520}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={isBusy} onClick={() => void revoke()}>
            Revoke
          </Button>
        </>
      }
    >
      <p>{children} This cannot be undone.</p>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  )
}

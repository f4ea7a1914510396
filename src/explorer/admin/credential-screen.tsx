/** A list of tokens or clients: create, revoke. */
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { AdminHead } from './admin-head.tsx'
import type { Credential, CredentialKind } from './admin-queries.ts'
import { CreateDialog } from './create-dialog.tsx'
import { CredentialTable, type CredentialTableProps } from './credential-table.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

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

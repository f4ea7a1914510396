/** The API tokens, or the OAuth clients: list, create, revoke. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, ErrorNote, Icon } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/fields.tsx'
import { useNow, useTask } from '../ui/hooks.ts'
import {
  type Credential,
  type CredentialKind,
  credentialsQuery,
  revokeRequest,
} from './admin-queries.ts'
import { AdminHead } from './admin-screen.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { scopeName } from './credential-draft.ts'
import { type DataColumn, DataTable } from './data-table.tsx'
import { describeTime, fullTime } from './describe-time.ts'

const TEXTS = {
  tokens: {
    noun: 'token',
    label: 'API tokens',
    empty: 'No token is in use. Programs need one to read or write: create the first.',
    ending: 'Programs that use it, and OAuth clients that act in its name, lose access at once.',
  },
  clients: {
    noun: 'client',
    label: 'OAuth clients',
    empty:
      'There are no clients. A program with a client id gets tokens of its own, or for the people who sign in to it.',
    ending: 'The client and all tokens that it got stop working at once.',
  },
} as const

export const TokensScreen = () => <CredentialScreen kind="tokens" />
export const ClientsScreen = () => <CredentialScreen kind="clients" />

const isEnded = ({ state = 'active' }: Credential) => state !== 'active'

function CredentialScreen({ kind }: { readonly kind: CredentialKind }) {
  const { service } = useSession()
  const { data: me } = useQuery(meQuery(service))
  const { data, error, refetch } = useQuery(credentialsQuery(service, kind))
  const [showsEnded, setShowsEnded] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Credential>()
  const nowMs = useNow()
  const { noun, label, empty, ending } = TEXTS[kind]
  // Signed in with OAuth, the caller is named by the client and the token, with a dot between.
  const isOwn = ({ id }: Credential) =>
    kind === 'tokens' && (me?.id === id || me?.id.endsWith(`.${id}`) === true)
  const endedCount = data?.filter(isEnded).length ?? 0
  const items = data
    ?.filter((item) => showsEnded || !isEnded(item))
    .toReversed()
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return (
    <>
      <AdminHead title={label}>
        {endedCount > 0 && (
          <CheckField
            label={`Show ${endedCount} revoked or expired`}
            isOn={showsEnded}
            onChange={setShowsEnded}
          />
        )}
        <Button kind="primary" className="ml-auto" onClick={() => setCreating(true)}>
          <Icon name="plus" size={14} /> New {noun}
        </Button>
      </AdminHead>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {items?.length === 0 && <p className="text-muted text-base leading-5">{empty}</p>}
      {items !== undefined && items.length > 0 && (
        <DataTable
          label={label}
          rows={items}
          keyOf={({ id }) => id}
          isEnded={isEnded}
          columns={columnsOf(nowMs, isOwn, setRevoking)}
        />
      )}
      {isCreating && <CreateDialog kind={kind} onClose={() => setCreating(false)} />}
      {revoking !== undefined && (
        <RevokeDialog kind={kind} item={revoking} onClose={() => setRevoking(undefined)}>
          {isOwn(revoking)
            ? 'You are signed in with this token, and will have to sign in with another one.'
            : ending}
        </RevokeDialog>
      )}
    </>
  )
}

function columnsOf(
  nowMs: number,
  isOwn: (item: Credential) => boolean,
  revoke: (item: Credential) => void,
): readonly DataColumn<Credential>[] {
  const time = (name: string, of: (item: Credential) => string | undefined, otherwise: string) => ({
    name,
    render: (item: Credential) => <Time time={of(item)} nowMs={nowMs} otherwise={otherwise} />,
  })
  return [
    {
      name: 'Name',
      render: (item) => (
        <>
          {item.name}
          <Detail item={item} isOwn={isOwn(item)} />
        </>
      ),
    },
    { name: 'Scopes', render: ({ scopes }) => <Scopes scopes={scopes} /> },
    { name: 'Ontologies', render: ({ ontologies }) => ontologies?.join(', ') ?? 'all' },
    time('Created', ({ createdAt }) => createdAt, ''),
    time('Last used', ({ lastUsedAt }) => lastUsedAt, 'never'),
    time('Expires', ({ expiresAt }) => expiresAt, 'never'),
    {
      name: 'Revoke',
      kind: 'action',
      render: (item) =>
        isEnded(item) ? (
          item.state
        ) : (
          <Button kind="danger" aria-label={`Revoke ${item.name}`} onClick={() => revoke(item)}>
            Revoke
          </Button>
        ),
    },
  ]
}

/** The text below a name. */
function Detail({ item, isOwn }: { readonly item: Credential; readonly isOwn: boolean }) {
  const { id, public: isPublic, redirectUris } = item
  if (redirectUris === undefined) {
    return (
      isOwn && (
        <span className="grid text-accent text-sm font-normal leading-4.5">
          you are signed in with it
        </span>
      )
    )
  }
  return (
    <span className="grid text-muted text-sm font-normal leading-4.5">
      <span>{isPublic ? 'public' : 'confidential'}</span>
      <span className="mono">{id}</span>
      {redirectUris.map((uri) => (
        <span key={uri} className="mono">
          → {uri}
        </span>
      ))}
    </span>
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
  /** A sentence about what ends with it. */
  readonly children: string
  readonly onClose: () => void
}

/** Asks before a token or a client is revoked: that cannot be undone. */
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
      error={error}
      action={{
        kind: 'danger',
        disabled: isBusy,
        onClick: () => void revoke(),
        children: 'Revoke',
      }}
    >
      <p>{children} This cannot be undone.</p>
    </Dialog>
  )
}

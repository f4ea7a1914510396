/** The OAuth clients: list, create, revoke. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { clientsQuery, type OAuthClient } from './admin-queries.ts'
import { CreateDialog } from './create-dialog.tsx'
import { CredentialTable } from './credential-table.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

export function ClientsScreen() {
  const { service } = useSession()
  const { data, error, refetch } = useQuery(clientsQuery(service))
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<OAuthClient>()
  return (
    <>
      <header className="flex flex-wrap items-center gap-y-2 gap-x-3 min-h-8 *:last:not-[h1,p]:ml-auto">
        <h1>OAuth clients</h1>
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Icon name="plus" size={14} /> New client
        </Button>
      </header>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <p className="text-muted text-base leading-5">
          There are no clients. A program with a client id gets tokens of its own, or for the people
          who sign in to it.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <CredentialTable
          label="OAuth clients"
          items={data.toReversed()}
          detailOf={(client) => <ClientDetail client={client} />}
          endOf={() => undefined}
          onRevoke={setRevoking}
        />
      )}
      {isCreating && <CreateDialog kind="clients" onClose={() => setCreating(false)} />}
      {revoking !== undefined && (
        <RevokeDialog kind="clients" item={revoking} onClose={() => setRevoking(undefined)}>
          The client and all tokens that it got stop working at once.
        </RevokeDialog>
      )}
    </>
  )
}

function ClientDetail({ client }: { readonly client: OAuthClient }) {
  return (
    <span className="grid text-muted text-sm font-normal leading-4.5">
      <span>{client.public ? 'public' : 'confidential'}</span>
      <span className="mono">{client.id}</span>
      {client.redirectUris.map((uri) => (
        <span key={uri} className="mono">
          → {uri}
        </span>
      ))}
    </span>
  )
}

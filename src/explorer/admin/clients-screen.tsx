/** The OAuth clients: list, create, revoke. */
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import { clientsQuery, type OAuthClient } from './admin-queries.ts'
import { CredentialScreen } from './credential-screen.tsx'

export function ClientsScreen() {
  const { service } = useSession()
  const { data, error, refetch } = useQuery(clientsQuery(service))
  return (
    <CredentialScreen
      kind="clients"
      noun="client"
      label="OAuth clients"
      items={data?.toReversed()}
      error={error}
      onRetry={() => void refetch()}
      empty="There are no clients. A program with a client id gets tokens of its own, or for the people who sign in to it."
      detailOf={(client) => <ClientDetail client={client} />}
      endOf={() => undefined}
      endingOf={() => 'The client and all tokens that it got stop working at once.'}
    />
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

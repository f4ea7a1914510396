/** The API tokens: list, create, revoke. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { CheckField } from '../ui/fields.tsx'
import { type ApiToken, clientsQuery, type OAuthClient, tokensQuery } from './admin-queries.ts'
import { CredentialScreen } from './credential-screen.tsx'

export function TokensScreen() {
  const { service } = useSession()
  const { data: me } = useQuery(meQuery(service))
  const { data, error, refetch } = useQuery(tokensQuery(service))
  const [showsEnded, setShowsEnded] = useState(false)
  // Signed in with OAuth, the caller is named by the client and the token, with a dot between.
  const isOwn = (id: string) => me?.id === id || me?.id.endsWith(`.${id}`) === true
  const endedCount = data?.filter(isEnded).length ?? 0
  const shown = data
    ?.filter((token) => showsEnded || !isEnded(token))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return (
    <CredentialScreen
      kind="tokens"
      noun="token"
      label="API tokens"
      items={shown}
      error={error}
      onRetry={() => void refetch()}
      empty="No token is in use. Programs need one to read or write: create the first."
      tools={
        endedCount > 0 && (
          <CheckField
            label={`Show ${endedCount} revoked or expired`}
            isOn={showsEnded}
            onChange={setShowsEnded}
          />
        )
      }
      detailOf={({ id }) =>
        isOwn(id) && (
          <span className="grid text-accent text-sm font-normal leading-4.5">
            you are signed in with it
          </span>
        )
      }
      endOf={(token) => (isEnded(token) ? token.state : undefined)}
      endingOf={({ id }) =>
        isOwn(id)
          ? 'You are signed in with this token, and will have to sign in with another one.'
          : 'Programs that use it, and OAuth clients that act in its name, lose access at once.'
      }
    />
  )
}

function isEnded({ state }: ApiToken): boolean {
  return state !== 'active'
}

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

/** The API tokens: list, create, revoke. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { CheckField } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { type ApiToken, tokensQuery } from './admin-queries.ts'
import { CreateDialog } from './create-dialog.tsx'
import { CredentialTable } from './credential-table.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

export function TokensScreen() {
  const { service } = useSession()
  const { data: me } = useQuery(meQuery(service))
  const { data, error, refetch } = useQuery(tokensQuery(service))
  const [showsEnded, setShowsEnded] = useState(false)
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiToken>()
  // Signed in with OAuth, the caller is named by the client and the token, with a dot between.
  const isOwn = (id: string) => me?.id === id || me?.id.endsWith(`.${id}`) === true
  const endedCount = data?.filter(isEnded).length ?? 0
  const shown = data
    ?.filter((token) => showsEnded || !isEnded(token))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return (
    <>
      <header className="flex flex-wrap items-center gap-y-2 gap-x-3 min-h-8 *:last:not-[h1,p]:ml-auto">
        <h1>API tokens</h1>
        {endedCount > 0 && (
          <CheckField
            label={`Show ${endedCount} revoked or expired`}
            isOn={showsEnded}
            onChange={setShowsEnded}
          />
        )}
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Icon name="plus" size={14} /> New token
        </Button>
      </header>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {shown?.length === 0 && (
        <p className="text-muted text-base leading-5">
          No token is in use. Programs need one to read or write: create the first.
        </p>
      )}
      {shown !== undefined && shown.length > 0 && (
        <CredentialTable
          label="API tokens"
          items={shown}
          detailOf={({ id }) =>
            isOwn(id) && (
              <span className="grid text-sm font-normal leading-4.5 text-accent">
                you are signed in with it
              </span>
            )
          }
          endOf={(token) => (isEnded(token) ? token.state : undefined)}
          onRevoke={setRevoking}
        />
      )}
      {isCreating && <CreateDialog kind="tokens" onClose={() => setCreating(false)} />}
      {revoking !== undefined && (
        <RevokeDialog kind="tokens" item={revoking} onClose={() => setRevoking(undefined)}>
          {isOwn(revoking.id)
            ? 'You are signed in with this token, and will have to sign in with another one.'
            : 'Programs that use it, and OAuth clients that act in its name, lose access at once.'}
        </RevokeDialog>
      )}
    </>
  )
}

function isEnded({ state }: ApiToken): boolean {
  return state !== 'active'
}

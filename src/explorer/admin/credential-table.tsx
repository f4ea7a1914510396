/** Tokens or clients as a table; on a narrow screen, as cards. */
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/use-now.ts'
import styles from './admin.module.css'
import type { Credential } from './admin-queries.ts'
import { describeTime, fullTime } from './describe-time.ts'
import { scopeName } from './scopes.ts'

export interface CredentialTableProps<Item extends Credential> {
  readonly label: string
  readonly items: readonly Item[]
  /** The text below the name. */
  readonly detailOf: (item: Item) => ReactNode
  /** Why an item cannot be used any more; undefined if it can be used and revoked. */
  readonly endOf: (item: Item) => string | undefined
  readonly onRevoke: (item: Item) => void
}

export function CredentialTable<Item extends Credential>(props: CredentialTableProps<Item>) {
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
            <span className="visually-hidden">Revoke</span>
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

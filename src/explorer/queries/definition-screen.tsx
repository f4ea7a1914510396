import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { findType, nameOf } from '../api/ontology.ts'
import { definitionQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote, ScreenNote } from '../ui/controls.tsx'
import type { ObjectAddress } from './object-queries.ts'

export interface DefinitionScreenProps {
  /** Returns the screen, or a sentence about what there is not. Parts that it has not are empty. */
  readonly children: (address: ObjectAddress, link: string) => ReactNode
}

/** Reads the definition of the ontology and the type in the address, which a screen needs. */
export function DefinitionScreen({ children }: DefinitionScreenProps) {
  const { service } = useSession()
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>
  const { ontology: name = '', type = '', key = '', link = '' } = params
  const { data: ontology, error, refetch } = useQuery(definitionQuery(service, name))
  if (ontology === undefined && error === null) {
    return <p className="late py-12 px-6 text-muted">Loading…</p>
  }
  const objectType = ontology && findType(ontology, type)
  const screen =
    ontology === undefined
      ? error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />
      : objectType === undefined
        ? `There is no object type “${type}” in ${nameOf(ontology)}.`
        : children({ ontology, objectType, key }, link)
  if (typeof screen !== 'string' && ontology !== undefined) return screen
  return (
    <ScreenNote title={link || key || type}>
      {typeof screen === 'string' ? <p className="py-12 px-6 text-muted">{screen}</p> : screen}
    </ScreenNote>
  )
}

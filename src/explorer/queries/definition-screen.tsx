import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OntologyDefinition } from '../api/ontology.ts'
import { definitionQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote, ScreenNote } from '../ui/error-note.tsx'

/** The parts of the address of a screen; those that it does not have are empty. */
interface ScreenParts {
  readonly ontology: string
  readonly type: string
  readonly key: string
  readonly link: string
}

export interface DefinitionScreenProps {
  /** Returns the name of the screen, for screen readers. */
  readonly titleOf: (parts: ScreenParts) => string
  /** Returns the screen, or a sentence about what there is not. */
  readonly children: (ontology: OntologyDefinition, parts: ScreenParts) => ReactNode
}

const NOTHING: ScreenParts = { ontology: '', type: '', key: '', link: '' }

/** Reads the definition of the ontology in the address, which a screen needs. */
export function DefinitionScreen({ titleOf, children }: DefinitionScreenProps) {
  const { service } = useSession()
  const parts = { ...NOTHING, ...(useParams({ strict: false }) as Partial<ScreenParts>) }
  const { data, error, refetch } = useQuery(definitionQuery(service, parts.ontology))
  if (data === undefined && error === null) return <p className="py-12 px-6 text-muted">Loading…</p>
  const screen =
    data === undefined
      ? error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />
      : children(data, parts)
  if (typeof screen !== 'string' && data !== undefined) return screen
  return (
    <ScreenNote title={titleOf(parts)}>
      {typeof screen === 'string' ? <p className="py-12 px-6 text-muted">{screen}</p> : screen}
    </ScreenNote>
  )
}

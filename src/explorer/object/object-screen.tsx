/** One object: its properties, what it links to, what differs, and the JSON as it came. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { findType } from '../api/ontology.ts'
import { definitionQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { ScreenNote } from '../ui/screen-note.tsx'
import { ObjectPage } from './object-page.tsx'

export function ObjectScreen() {
  const { service } = useSession()
  const parameters = useParams({ strict: false }) as Readonly<Record<string, string>>
  const { ontology = '', type = '', key = '' } = parameters
  const { data, error } = useQuery(definitionQuery(service, ontology))
  if (data === undefined && error !== null) {
    return (
      <ScreenNote title={key}>
        <ErrorNote error={error} />
      </ScreenNote>
    )
  }
  if (data === undefined) return <p className="py-12 px-6 text-muted">Loading…</p>
  const objectType = findType(data, type)
  if (objectType === undefined) {
    return (
      <ScreenNote title={key}>
        <p className="py-12 px-6 text-muted">There is no object type “{type}”.</p>
      </ScreenNote>
    )
  }
  return (
    <ObjectPage key={`${objectType.rid} ${key}`} address={{ ontology: data, objectType, key }} />
  )
}

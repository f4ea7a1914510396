/** The home screen: every ontology with its types as cards. */

import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { BASE_PATH } from '../api/base-path.ts'
import { countsQuery, definitionQuery, ontologiesQuery } from '../api/queries.ts'
import { CreateTypeButton, LoadButton } from '../load/load-button.tsx'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { ScreenNote } from '../ui/screen-note.tsx'
import { OntologySection } from './ontology-section.tsx'

export function HomeScreen() {
  const { service } = useSession()
  const { ontology: chosen } = useParams({ strict: false }) as { readonly ontology?: string }
  const ontologies = useQuery(ontologiesQuery(service))
  const shown = (ontologies.data ?? []).filter(
    ({ apiName, rid }) => chosen === undefined || chosen === apiName || chosen === rid,
  )
  const definitions = useQueries({
    queries: shown.map(({ apiName }) => definitionQuery(service, apiName)),
  })
  const counts = useQueries({ queries: shown.map(({ apiName }) => countsQuery(service, apiName)) })
  if (ontologies.data === undefined && ontologies.error !== null) {
    return (
      <ScreenNote title="Ontologies">
        <ErrorNote error={ontologies.error} onRetry={() => void ontologies.refetch()} />
      </ScreenNote>
    )
  }
  if (ontologies.data?.length === 0) return <EmptyHome />
  if (ontologies.data !== undefined && shown.length === 0) {
    return (
      <section className="grid gap-3 max-w-140 mx-auto mt-[12vh] mb-0 py-0 px-4">
        <h1>There is no ontology “{chosen}”</h1>
        <Link to="/">See what there is.</Link>
      </section>
    )
  }
  return (
    <div className="relative grid gap-8 max-w-300 my-0 mx-auto px-4 pt-6 pb-16">
      <div className="flex flex-wrap gap-2 empty:hidden -mb-4 min-[640px]:absolute min-[640px]:top-6 min-[640px]:right-4 min-[640px]:m-0">
        <LoadButton />
        <CreateTypeButton />
      </div>
      {shown.map((summary, index) => (
        <OntologySection
          key={summary.rid}
          summary={summary}
          definition={definitions[index]?.data}
          counts={counts[index]?.data}
          error={definitions[index]?.error ?? undefined}
          isAlone={shown.length === 1}
        />
      ))}
    </div>
  )
}

function EmptyHome() {
  return (
    <section className="grid gap-3 max-w-140 mx-auto mt-[12vh] mb-0 py-0 px-4">
      <h1>There are no objects yet</h1>
      <div className="flex flex-wrap gap-2 empty:hidden">
        <LoadButton />
        <CreateTypeButton />
      </div>
      <p>Load a file, and its types and objects appear here:</p>
      <pre className="mono code-block whitespace-pre overflow-x-auto">
        npx oqs import cities.csv --ontology world --type city --infer
      </pre>
      <p>
        Or define an ontology first: <a href={`${BASE_PATH}/docs`}>the API reference</a> shows how.
      </p>
    </section>
  )
}

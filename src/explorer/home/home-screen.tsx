/** The home screen: every ontology with its types as cards. */

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ObjectCounts } from '../../client/endpoints/administration.ts'
import type { OntologySummary } from '../../client/endpoints/revision-1.ts'
import { countOf, formatCount } from '../../contract/count-of.ts'
import { BASE_PATH, screenPath } from '../api/base-path.ts'
import {
  linksOf,
  nameOf,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  wordsOf,
} from '../api/ontology.ts'
import { countsQuery, definitionQuery, ontologiesQuery } from '../api/service.ts'
import { CreateTypeButton, LoadButton } from '../load/load-area.tsx'
import { NoOntology } from '../queries/definition-screen.tsx'
import { useSession } from '../session/session.tsx'
import { EmptyScreen, ErrorNote, Icon, ScreenNote } from '../ui/controls.tsx'
import { MiniPicture } from './mini-picture.tsx'
import { ViewList } from './view-list.tsx'

export function HomeScreen() {
  const { service } = useSession()
  const { ontology: chosen } = useParams({ strict: false }) as { readonly ontology?: string }
  const ontologies = useQuery(ontologiesQuery(service))
  const shown = (ontologies.data ?? []).filter(
    ({ apiName, rid }) => chosen === undefined || chosen === apiName || chosen === rid,
  )
  if (ontologies.data === undefined && ontologies.error !== null) {
    return (
      <ScreenNote title="Ontologies">
        <ErrorNote error={ontologies.error} onRetry={() => void ontologies.refetch()} />
      </ScreenNote>
    )
  }
  if (ontologies.data?.length === 0) return <EmptyHome />
  if (ontologies.data !== undefined && shown.length === 0) {
    return <NoOntology name={chosen ?? ''} />
  }
  return (
    <div className="relative grid gap-8 max-w-300 my-0 mx-auto px-4 pt-6 pb-16">
      <div className="flex flex-wrap gap-2 empty:hidden -mb-4 min-[640px]:absolute min-[640px]:top-6 min-[640px]:right-4 min-[640px]:m-0">
        <LoadButton />
        <CreateTypeButton />
      </div>
      {shown.map((summary) => (
        <OntologySection key={summary.rid} summary={summary} isAlone={shown.length === 1} />
      ))}
    </div>
  )
}

function EmptyHome() {
  return (
    <EmptyScreen title="There are no objects yet">
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
    </EmptyScreen>
  )
}

interface OntologySectionProps {
  readonly summary: OntologySummary
  /** True if no other ontology is shown. */
  readonly isAlone: boolean
}

/** Up to this many types have large cards, which then fill a screen. */
const FEW = 4

function OntologySection({ summary, isAlone }: OntologySectionProps) {
  const { service } = useSession()
  const { data: definition, error } = useQuery(definitionQuery(service, summary.apiName))
  const { data: counts } = useQuery(countsQuery(service, summary.apiName))
  const isFew = isAlone && (definition?.objectTypes.length ?? FEW) <= FEW
  return (
    <section aria-labelledby={summary.rid}>
      <header className="grid gap-0.5 mb-4">
        <h1 id={summary.rid}>{summary.displayName}</h1>
        <p className="label">
          {[summary.description, definition && describe(definition)].filter(Boolean).join(' ')}
        </p>
      </header>
      {error !== null && <ErrorNote error={error} />}
      {definition !== undefined && <ViewList ontology={definition} />}
      <ul
        className={`grid gap-4 m-0 p-0 list-none ${isFew ? 'few-cards grid-cols-[repeat(auto-fill,minmax(min(440px,100%),1fr))]' : 'grid-cols-[repeat(auto-fill,minmax(min(260px,100%),1fr))]'}`}
      >
        {definition === undefined
          ? OUTLINES.map((outline) => (
              <li key={outline} className="h-52 border border-dashed border-line rounded-lg" />
            ))
          : bySize(definition.objectTypes, counts).map((type) => (
              <TypeCard key={type.apiName} ontology={definition} type={type} counts={counts} />
            ))}
      </ul>
    </section>
  )
}

const OUTLINES = [1, 2, 3, 4]

function describe({ objectTypes, linkTypes = [] }: OntologyDefinition): string {
  return `${countOf(objectTypes.length, 'type')}, ${countOf(linkTypes.length, 'link')}.`
}

function bySize(types: readonly ObjectTypeDefinition[], counts: ObjectCounts | undefined) {
  const sizeOf = ({ apiName }: ObjectTypeDefinition) => counts?.objectTypes[apiName]?.count ?? 0
  return types.toSorted((a, b) => sizeOf(b) - sizeOf(a))
}

interface TypeCardProps {
  readonly ontology: OntologyDefinition
  readonly type: ObjectTypeDefinition
  readonly counts: ObjectCounts | undefined
}

function TypeCard({ ontology, type, counts }: TypeCardProps) {
  const count = counts?.objectTypes[type.apiName]?.count
  const links = linksOf(ontology, type.apiName)
  return (
    <li>
      <Link
        to={screenPath(ontology.apiName, type.apiName)}
        className="flex flex-col gap-2 h-full p-4 border border-line rounded-lg bg-panel text-ink transition-[border-color] duration-(--motion) hover:border-accent hover:no-underline group"
      >
        <span className="flex justify-between gap-2">
          <strong>{nameOf(type)}</strong>
          <span className="data">{count === undefined ? '…' : formatCount(count)}</span>
        </span>
        <MiniPicture ontology={ontology} objectType={type} />
        <span className="label">{describeProperties(type)}</span>
        {links.length > 0 && (
          <span className="flex flex-wrap gap-y-1 gap-x-3 text-accent text-sm leading-4">
            {links.map(({ apiName, cardinality }) => (
              <span
                key={`${cardinality} ${apiName}`}
                className="flex items-center gap-0.5"
                title={cardinality === 'one' ? 'one for each' : 'several for each'}
              >
                <Icon name={cardinality === 'one' ? 'next' : 'back'} size={12} />
                {wordsOf(apiName)}
              </span>
            ))}
          </span>
        )}
      </Link>
    </li>
  )
}

const NAMED = 4

function describeProperties({ properties }: ObjectTypeDefinition): string {
  const names = Object.entries(properties).map(([name, each]) => nameOfProperty(name, each))
  const rest = names.length - NAMED
  const named = names.slice(0, NAMED).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}

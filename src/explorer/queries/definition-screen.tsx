import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { screenPath } from '../api/base-path.ts'
import {
  findRenamedType,
  findType,
  type LinkSide,
  linksOf,
  nameOf,
  type OntologyDefinition,
  wordsOf,
} from '../api/ontology.ts'
import { definitionQuery, statusOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { EmptyScreen, ErrorNote, ScreenNote } from '../ui/controls.tsx'
import { isRenamedTo } from '../view/lost-parts.ts'
import { toLink } from '../view/trail.ts'
import type { ObjectAddress } from './object-queries.ts'

export interface DefinitionScreenProps {
  readonly children: (address: ObjectAddress) => ReactNode
}

/** Reads the definition of the ontology and the type in the address, which a screen needs. */
export function DefinitionScreen({ children }: DefinitionScreenProps) {
  const { service } = useSession()
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>
  const { ontology: name = '', type = '', key = '' } = params
  const { data: ontology, error, refetch } = useQuery(definitionQuery(service, name))
  if (ontology === undefined) {
    if (error === null) return <p className="late py-12 px-6 text-muted">Loading…</p>
    if (statusOf(error) === 404) return <NoOntology name={name} />
    return (
      <ScreenNote title={key || type}>
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </ScreenNote>
    )
  }
  const objectType = findType(ontology, type)
  if (objectType === undefined) return <NoType ontology={ontology} name={type} />
  return children({ ontology, objectType, key })
}

/** Says that there is no such ontology, and leads to those that there are. */
export function NoOntology({ name }: { readonly name: string }) {
  return (
    <EmptyScreen title={`There is no ontology “${name}”`}>
      <Link to="/">See what there is.</Link>
    </EmptyScreen>
  )
}

interface NoTypeProps {
  readonly ontology: OntologyDefinition
  readonly name: string
}

/** Types that are named, of which one may have been meant. */
const NAMED = 12

/** Says that there is no such type, and leads to the others. */
export function NoType({ ontology, name }: NoTypeProps) {
  const { apiName, objectTypes } = ontology
  const renamed = findRenamedType(ontology, name)
  return (
    <EmptyScreen title={`There is no object type “${name}”`}>
      {renamed && <RenamedPart part={2} now={renamed.apiName} name={nameOf(renamed)} />}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 m-0 p-0 list-none">
        {objectTypes.slice(0, NAMED).map((type) => (
          <li key={type.apiName}>
            <Link to={screenPath(apiName, type.apiName)}>{nameOf(type)}</Link>
          </li>
        ))}
      </ul>
      <Link to={screenPath(apiName)}>See all of {nameOf(ontology)}.</Link>
    </EmptyScreen>
  )
}

interface LinkAtProps {
  readonly address: ObjectAddress
  readonly children: (link: LinkSide) => ReactNode
}

/** Finds the link in the address. */
export function LinkAt({ address, children }: LinkAtProps) {
  const { link: name = '' } = useParams({ strict: false }) as { readonly link?: string }
  const { ontology, objectType, key } = address
  const links = linksOf(ontology, objectType.apiName)
  const link = links.find(({ apiName }) => apiName === name)
  if (link !== undefined) return children(link)
  const renamed = links.find(({ apiName }) =>
    ontology.linkTypes?.some(isRenamedTo(apiName, name)),
  )?.apiName
  return (
    <EmptyScreen title={`“${objectType.apiName}” has no link “${name}”`}>
      {renamed && <RenamedPart part={4} now={renamed} name={wordsOf(renamed)} />}
      <Link to={screenPath(ontology.apiName, objectType.apiName, key)}>
        See {nameOf(objectType)} {key}.
      </Link>
    </EmptyScreen>
  )
}

interface RenamedPartProps {
  /** Which part of the path has the earlier name. */
  readonly part: number
  readonly now: string
  readonly name: string
}

/** Leads to the same address with the name of now. */
function RenamedPart({ part, now, name }: RenamedPartProps) {
  const { pathname, searchStr } = useLocation()
  const parts = pathname.split('/')
  const path = parts.with(part + 1, encodeURIComponent(now)).join('/')
  return (
    <p>
      <Link {...toLink({ path, search: searchStr })}>It is called {name} now.</Link>
    </p>
  )
}

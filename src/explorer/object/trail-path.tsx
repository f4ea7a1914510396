import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { screenPath } from '../api/base-path.ts'
import { findType, nameOf, type OntologyDefinition, wordsOf } from '../api/ontology.ts'
import { objectQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { type Crumb, crumbsOf, searchOf, type TrailStep, toLink } from '../view/trail.ts'

export interface TrailPathProps {
  readonly ontology: OntologyDefinition
  /** The type of the object or objects that are shown. */
  readonly type: string
  readonly trail: readonly TrailStep[]
  /** The list that the object was opened from. */
  readonly list: string
  /** True if the page shows the objects at the last link, and not one of them. */
  readonly isList?: boolean
  /** The name of the page. */
  readonly here: string
}

/** The sign between two parts has a name of its own for screen readers, which is empty. */
const CRUMB = "max-w-60 truncate text-muted not-first:before:content-['›'] not-first:before:mr-1.5"

/** The way that led here, from the ontology on; each part of it can be opened again. */
export function TrailPath({ ontology, type, trail, list, isList = false, here }: TrailPathProps) {
  const [first] = trail
  const crumbs = crumbsOf(ontology.apiName, trail, list)
  const start = first?.type ?? type
  const objectType = findType(ontology, start)
  const origin = {
    path: screenPath(ontology.apiName, start),
    search: searchOf(first?.list ?? list, []),
  }
  return (
    <nav aria-label="The way here">
      <ol className="flex flex-wrap gap-y-0.5 gap-x-1.5 m-0 p-0 list-none text-sm leading-5">
        <li className={CRUMB}>
          <Link to={screenPath(ontology.apiName)}>{nameOf(ontology)}</Link>
        </li>
        <li className={CRUMB}>
          <Link {...toLink(origin)}>{objectType === undefined ? start : nameOf(objectType)}</Link>
        </li>
        {crumbs.slice(0, isList ? -1 : undefined).map((crumb) => (
          <li key={crumb.path + crumb.search} className={CRUMB}>
            <CrumbLink ontology={ontology} crumb={crumb} />
          </li>
        ))}
        <li aria-current="page" className={CRUMB}>
          {here}
        </li>
      </ol>
    </nav>
  )
}

function CrumbLink(props: { readonly ontology: OntologyDefinition; readonly crumb: Crumb }) {
  const { service } = useSession()
  const { ontology, crumb } = props
  const { step, kind } = crumb
  const { type, key } = step
  const known = findType(ontology, type)
  const objectType = known ?? { apiName: type, rid: '', primaryKey: '', properties: {} }
  const { data } = useQuery({
    ...objectQuery(service, { ontology, objectType, key }),
    enabled: kind === 'object' && known !== undefined,
  })
  return (
    <Link {...toLink(crumb)}>
      {kind === 'link' ? wordsOf(step.link).toLowerCase() : (data?.record.title ?? key)}
    </Link>
  )
}

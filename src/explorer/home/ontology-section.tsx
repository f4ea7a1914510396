import { Link } from '@tanstack/react-router'
import {
  linksOf,
  nameOf,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type OntologySummary,
  type TypeCounts,
} from '../api/ontology.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import styles from './home.module.css'

export interface OntologySectionProps {
  readonly summary: OntologySummary
  readonly definition: OntologyDefinition | undefined
  readonly counts: TypeCounts | undefined
  readonly error: Error | undefined
}

export function OntologySection({ summary, definition, counts, error }: OntologySectionProps) {
  return (
    <section aria-labelledby={summary.rid}>
      <header className={styles.sectionHead}>
        <h1 id={summary.rid}>{summary.displayName}</h1>
        <p className="label">{summary.description}</p>
        {definition && <p className="label">{describe(definition)}</p>}
      </header>
      {error !== undefined && <ErrorNote error={error} />}
      <ul className={styles.cards}>
        {definition === undefined
          ? OUTLINES.map((outline) => <li key={outline} className={styles.outline} />)
          : bySize(definition.objectTypes, counts).map((type) => (
              <TypeCard key={type.apiName} ontology={definition} type={type} counts={counts} />
            ))}
      </ul>
    </section>
  )
}

const OUTLINES = [1, 2, 3, 4]

function describe({ objectTypes, linkTypes = [] }: OntologyDefinition): string {
  return `${objectTypes.length} types, ${linkTypes.length} links`
}

function bySize(types: readonly ObjectTypeDefinition[], counts: TypeCounts | undefined) {
  const sizeOf = ({ apiName }: ObjectTypeDefinition) => counts?.objectTypes[apiName]?.count ?? 0
  return types.toSorted((a, b) => sizeOf(b) - sizeOf(a))
}

interface TypeCardProps {
  readonly ontology: OntologyDefinition
  readonly type: ObjectTypeDefinition
  readonly counts: TypeCounts | undefined
}

function TypeCard({ ontology, type, counts }: TypeCardProps) {
  const count = counts?.objectTypes[type.apiName]?.count
  const picture = pictureOf(type)
  return (
    <li>
      <Link
        to={`/o/${encodeURIComponent(ontology.apiName)}/${encodeURIComponent(type.apiName)}` as '/'}
        className={styles.card ?? ''}
      >
        <span className={styles.cardHead}>
          <strong>{nameOf(type)}</strong>
          <span className="data">{count === undefined ? '…' : formatCount(count)}</span>
        </span>
        <span className="label">
          {Object.keys(type.properties).length} properties
          {picture && (
            <>
              {' · '}
              <Icon name={picture.icon} size={12} /> {picture.name}
            </>
          )}
        </span>
        <span className="label">{describeLinks(ontology, type)}</span>
      </Link>
    </li>
  )
}

/** Returns the picture that suits a type best. */
function pictureOf(
  type: ObjectTypeDefinition,
): { readonly name: string; readonly icon: IconName } | undefined {
  const types = new Set(Object.values(type.properties).map((property) => property.type))
  if (types.has('geopoint')) return { name: 'map', icon: 'map' }
  if (types.has('timestamp') || types.has('date')) return { name: 'time line', icon: 'time' }
  return undefined
}

function describeLinks(ontology: OntologyDefinition, type: ObjectTypeDefinition): string {
  return linksOf(ontology, type.apiName)
    .map(({ apiName, cardinality }) => `${cardinality === 'one' ? '→' : '←'} ${apiName}`)
    .join('  ')
}

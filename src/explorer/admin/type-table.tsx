import { Link } from '@tanstack/react-router'
import { screenPath } from '../api/screen-path.ts'
import { formatBytes, formatCount } from '../ui/format.ts'
import styles from './admin.module.css'
import type { TypeState } from './admin-queries.ts'
import { ShareBar } from './share-bar.tsx'

/** The size and the versions of each object type, the largest first. */
export function TypeTable({ types }: { readonly types: readonly TypeState[] }) {
  if (types.length === 0)
    return <p className="text-muted text-base leading-5">There are no object types.</p>
  const hasBytes = types.some(({ storedBytes }) => storedBytes !== undefined)
  const most = Math.max(1, ...types.map(({ count }) => count))
  return (
    <table
      className={`w-full border-separate [border-spacing:0] border border-line rounded-lg bg-panel text-base leading-5 ${styles.table}`}
    >
      <thead>
        <tr>
          <th scope="col">Object type</th>
          <th scope="col" className={styles.number}>
            Objects
          </th>
          {hasBytes && (
            <th scope="col" className={styles.number}>
              Size
            </th>
          )}
          <th scope="col" className={styles.number}>
            Newest version
          </th>
          <th scope="col" className={styles.number}>
            Oldest snapshot
          </th>
        </tr>
      </thead>
      <tbody>
        {types
          .toSorted((a, b) => b.count - a.count)
          .map((type) => (
            <TypeRow
              key={`${type.ontology}/${type.objectType}`}
              type={type}
              share={type.count / most}
              hasBytes={hasBytes}
            />
          ))}
      </tbody>
    </table>
  )
}

interface TypeRowProps {
  readonly type: TypeState
  /** The number of objects, as a share of those of the largest type. */
  readonly share: number
  readonly hasBytes: boolean
}

function TypeRow({ type, share, hasBytes }: TypeRowProps) {
  const { ontology, objectType, count, version, oldestVersion, storedBytes } = type
  return (
    <tr>
      <th scope="row">
        <Link to={screenPath(ontology, objectType)}>
          <span className="label">{ontology} › </span>
          {objectType}
        </Link>
        <ShareBar share={share} />
      </th>
      <td className={styles.number} data-label="Objects">
        {formatCount(count)}
      </td>
      {hasBytes && (
        <td className={styles.number} data-label="Size">
          {storedBytes === undefined ? '–' : formatBytes(storedBytes)}
        </td>
      )}
      <td className={styles.number} data-label="Newest version">
        {version}
      </td>
      <td className={styles.number} data-label="Oldest snapshot">
        {oldestVersion === version ? 'newest only' : oldestVersion}
      </td>
    </tr>
  )
}

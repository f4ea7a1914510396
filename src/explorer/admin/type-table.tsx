import { Link } from '@tanstack/react-router'
import { screenPath } from '../api/screen-path.ts'
import { formatBytes, formatCount } from '../ui/format.ts'
import styles from './admin.module.css'
import type { TypeState } from './admin-queries.ts'
import { ShareBar } from './share-bar.tsx'

type Column = readonly [name: string, textOf: (type: TypeState) => string | number]

const SIZE: Column = [
  'Size',
  ({ storedBytes }) => (storedBytes === undefined ? '–' : formatBytes(storedBytes)),
]

/** The size and the versions of each object type, the largest first. */
export function TypeTable({ types }: { readonly types: readonly TypeState[] }) {
  if (types.length === 0) {
    return <p className="text-muted text-base leading-5">There are no object types.</p>
  }
  const most = Math.max(1, ...types.map(({ count }) => count))
  const columns: readonly Column[] = [
    ['Objects', ({ count }) => formatCount(count)],
    ...(types.some(({ storedBytes }) => storedBytes !== undefined) ? [SIZE] : []),
    ['Newest version', ({ version }) => version],
    [
      'Oldest snapshot',
      ({ oldestVersion, version }) => (oldestVersion === version ? 'newest only' : oldestVersion),
    ],
  ]
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Object type</th>
          {columns.map(([name]) => (
            <th key={name} scope="col" className={styles.number}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {types
          .toSorted((a, b) => b.count - a.count)
          .map((type) => (
            <tr key={`${type.ontology}/${type.objectType}`}>
              <th scope="row">
                <Link to={screenPath(type.ontology, type.objectType)}>
                  <span className="label">{type.ontology} › </span>
                  {type.objectType}
                </Link>
                <ShareBar share={type.count / most} />
              </th>
              {columns.map(([name, textOf]) => (
                <td key={name} className={styles.number} data-label={name}>
                  {textOf(type)}
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  )
}

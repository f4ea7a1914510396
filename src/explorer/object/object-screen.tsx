/** One object: its properties, what it links to, and the JSON as it came. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { findType, linksOf, nameOf } from '../api/ontology.ts'
import { definitionQuery } from '../api/queries.ts'
import { EditActions } from '../edit/edit-actions.tsx'
import { useSession } from '../shell/session.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Segments } from '../ui/segments.tsx'
import { LinkList } from './link-list.tsx'
import styles from './object.module.css'
import { type ObjectAddress, objectQuery } from './object-queries.ts'
import { PropertyList } from './property-list.tsx'

export function ObjectScreen() {
  const { send } = useSession()
  const parameters = useParams({ strict: false }) as Readonly<Record<string, string>>
  const { ontology = '', type = '', key = '' } = parameters
  const { data, error } = useQuery(definitionQuery(send, ontology))
  if (error !== null) return <ErrorNote error={error} />
  const objectType = data && findType(data, type)
  if (data === undefined) return <p className={styles.note}>Loading…</p>
  if (objectType === undefined)
    return <p className={styles.note}>There is no object type “{type}”.</p>
  return <ObjectPage key={key} ontology={data} objectType={objectType} objectKey={key} />
}

const TABS = ['properties', 'json'] as const

function ObjectPage({
  objectKey,
  ontology,
  objectType,
}: Omit<ObjectAddress, 'key'> & { readonly objectKey: string }) {
  const { send } = useSession()
  const [tab, setTab] = useState<(typeof TABS)[number]>('properties')
  const address: ObjectAddress = { ontology, objectType, key: objectKey }
  const { data, error, refetch } = useQuery(objectQuery(send, address))
  const home = `/o/${encodeURIComponent(ontology.apiName)}`
  return (
    <article className={styles.page}>
      <header className={styles.head}>
        <nav aria-label="Where this is" className="label">
          <Link to={home as '/'}>{nameOf(ontology)}</Link>
          {' › '}
          <Link to={`${home}/${encodeURIComponent(objectType.apiName)}` as '/'}>
            {nameOf(objectType)}
          </Link>
        </nav>
        <h1>{data?.record.title ?? objectKey}</h1>
        <Segments
          label="Form"
          options={TABS}
          nameOf={(name) => (name === 'json' ? 'JSON' : 'Properties')}
          value={tab}
          onChange={setTab}
        />
        {data !== undefined && <EditActions address={address} />}
      </header>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data !== undefined && tab === 'json' && (
        <section className={styles.json}>
          <CopyButton text={data.json} />
          <pre className="mono">{data.json}</pre>
        </section>
      )}
      {data !== undefined && tab === 'properties' && (
        <div className={styles.columns}>
          <PropertyList objectType={objectType} record={data.record} />
          <aside className={styles.links} aria-label="Links">
            {linksOf(ontology, objectType.apiName).map((link) => (
              <LinkList key={link.apiName} address={address} link={link} record={data.record} />
            ))}
          </aside>
        </div>
      )}
    </article>
  )
}

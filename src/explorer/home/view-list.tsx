/** The dashboards and saved views of an ontology, and a button that starts a dashboard. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { nameOf, type OntologyDefinition } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { addressOf, type SavedView, saveView, viewsQuery } from '../share/saved-views.ts'
import { Button, Icon, Mistake } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { FORM, SelectField, submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { toLink } from '../view/trail.ts'

/** Views that are listed; the palette finds all. */
const MOST = 12

export function ViewList({ ontology }: { readonly ontology: OntologyDefinition }) {
  const { service, isViewOnly } = useSession()
  const { data = [] } = useQuery({
    ...viewsQuery(service, ontology.apiName),
    enabled: !isViewOnly,
  })
  if (isViewOnly || ontology.objectTypes.length === 0) return null
  // Dashboards first.
  const views = data.toSorted(
    (a, b) => Number(a.tiles === undefined) - Number(b.tiles === undefined),
  )
  return (
    <div className="flex flex-wrap items-center gap-2 mb-4">
      <ul
        className="contents m-0 p-0 list-none"
        aria-label={`Dashboards and views of ${nameOf(ontology)}`}
      >
        {views.slice(0, MOST).map((view) => (
          <li key={view.id} className="max-w-60">
            <ViewLink ontology={ontology} view={view} />
          </li>
        ))}
      </ul>
      {views.length > MOST && (
        <span className="label">and {views.length - MOST} more, by Ctrl K</span>
      )}
      <Popup
        kind="quiet"
        label={
          <>
            <Icon name="plus" size={14} /> New dashboard
          </>
        }
        panelLabel={`New dashboard of ${nameOf(ontology)}`}
      >
        {() => <NewDashboard ontology={ontology} />}
      </Popup>
    </div>
  )
}

interface ViewLinkProps {
  readonly ontology: OntologyDefinition
  readonly view: SavedView
}

function ViewLink({ ontology, view }: ViewLinkProps) {
  const [path = '', search = ''] = addressOf(ontology.apiName, view).split(/(?=\?)/)
  const isDashboard = view.tiles !== undefined
  return (
    <Link
      {...toLink({ path, search })}
      className="flex items-center gap-1.5 min-h-8 px-2.5 border border-line rounded-md bg-panel text-ink text-base hover:border-accent hover:no-underline"
      title={view.description ?? (isDashboard ? 'Dashboard' : 'Saved view')}
    >
      <Icon name={isDashboard ? 'chart' : 'bookmark'} size={14} />
      <span className="truncate">{view.name}</span>
    </Link>
  )
}

/** Starts a dashboard with a table, to which tiles can be added. */
function NewDashboard({ ontology }: { readonly ontology: OntologyDefinition }) {
  const { service } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { run, isBusy, error } = useTask()
  const types = ontology.objectTypes.map((type) => [type.apiName, nameOf(type)] as const)
  const [type, setType] = useState(types[0]?.[0] ?? '')
  const [name, setName] = useState('')
  const create = () =>
    run(async () => {
      const body = { name: name.trim(), address: `/${type}`, tiles: [{ search: '', width: 3 }] }
      const saved = await saveView(service, ontology.apiName, body as never)
      await client.invalidateQueries({ queryKey: ['views', ontology.apiName] })
      void navigate({ href: BASE_PATH + addressOf(ontology.apiName, saved) } as never)
    })
  return (
    <form className={FORM} onSubmit={submits(create)}>
      <TextField label="Name" value={name} required maxLength={200} autoFocus onChange={setName} />
      <SelectField label="Objects" value={type} options={types} onChange={setType} />
      <Mistake>{error && messageOf(error)}</Mistake>
      <Button
        type="submit"
        kind="primary"
        className="mt-1.5 justify-self-start"
        disabled={isBusy || name.trim() === ''}
      >
        Create
      </Button>
    </form>
  )
}

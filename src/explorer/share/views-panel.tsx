/** The saved views of an ontology, and a form that saves the one on the screen. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { nameOf } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { useIsAdmin } from '../session/use-writes.ts'
import { Button, IconButton, Mistake } from '../ui/controls.tsx'
import { CheckField, FORM, SelectField, submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import type { TypeView } from '../view/type-view.ts'
import { fromSearch } from '../view/view-state.ts'
import { sharedSearch, tileOfView } from './dashboard-tiles.ts'
import { LinkForm } from './link-form.tsx'
import {
  addressOf,
  bodyOf,
  deleteView,
  type SavedView,
  savedAddress,
  saveView,
  viewsQuery,
} from './saved-views.ts'

export interface ViewsPanelProps {
  readonly of: TypeView
  /** Closes the panel; the text says what was done. */
  readonly onDone: (notice?: string) => void
}

export function ViewsPanel({ of, onDone }: ViewsPanelProps) {
  const { service } = useSession()
  const { data: views, error } = useQuery(viewsQuery(service, of.ontology.apiName))
  const isAdmin = useIsAdmin()
  const [edited, setEdited] = useState<SavedView>()
  // The filters of a dashboard are those of a type, so objects at a link cannot be a tile.
  const isWholeType = /^\/[^/]+$/.test(savedAddress(shownPath(), ''))
  return (
    <div className="grid gap-3 w-75">
      <Mistake>{error && messageOf(error)}</Mistake>
      {views !== undefined && views.length > 0 && (
        <ul
          className="grid gap-1 max-h-75 m-0 p-0 overflow-auto list-none text-base"
          aria-label="Saved views"
        >
          {views.map((view) => (
            <ViewItem key={view.id} {...{ of, view, onDone }} onEdit={() => setEdited(view)} />
          ))}
        </ul>
      )}
      <ViewForm key={edited?.id} of={of} edited={edited} onDone={onDone} />
      {edited === undefined && isWholeType && (
        <AddToDashboard of={of} views={views ?? []} onDone={onDone} />
      )}
      {edited === undefined && isAdmin && isWholeType && <LinkForm of={of} />}
    </div>
  )
}

const shownPath = () => location.pathname.slice(BASE_PATH.length)

interface ViewItemProps extends ViewsPanelProps {
  readonly view: SavedView
  readonly onEdit: () => void
}

function ViewItem({ of, view, onDone, onEdit }: ViewItemProps) {
  const navigate = useNavigate()
  const href = BASE_PATH + addressOf(of.ontology.apiName, view)
  const notes = [
    ...(view.tiles === undefined ? [] : ['dashboard']),
    ...(view.shared ? [`shared by ${view.owner}`] : ['only you']),
  ]
  return (
    <li className="flex items-start justify-between gap-2">
      <span className="grid min-w-0">
        <a
          href={href}
          className="truncate"
          onClick={(event) => {
            event.preventDefault()
            onDone()
            void navigate({ href } as never)
          }}
        >
          {view.name}
        </a>
        {view.description !== undefined && <span>{view.description}</span>}
        <span className="label">{notes.join(', ')}</span>
      </span>
      {view.mayChange && (
        <IconButton icon="settings" label={`Change ${view.name}`} onClick={onEdit} />
      )}
    </li>
  )
}

interface ViewFormProps extends ViewsPanelProps {
  /** The view that is changed; a new one without it. */
  readonly edited: SavedView | undefined
  readonly onDeleted?: () => void
}

export function ViewForm(props: ViewFormProps) {
  const { edited, onDeleted = () => {} } = props
  const { ontology, objectType } = props.of
  const { service } = useSession()
  const [name, setName] = useState(edited?.name ?? nameOf(objectType))
  const [description, setDescription] = useState(edited?.description ?? '')
  const [isShared, setShared] = useState(edited?.shared ?? false)
  const [isReplaced, setReplaced] = useState(false)
  const { write, isBusy, error } = useViewWrites(props)
  const shown = () => savedAddress(shownPath(), location.search)
  const save = () =>
    write(`Saved “${name.trim()}”.`, () => {
      const texts = { name: name.trim(), description: description.trim() || null, shared: isShared }
      const kept = edited === undefined ? { address: shown() } : bodyOf(edited)
      const address = isReplaced ? shown() : kept.address
      return saveView(service, ontology.apiName, { ...kept, ...texts, address }, edited?.id)
    })
  return (
    <form className={`${FORM} w-full`} onSubmit={submits(save)}>
      <TextField
        label={edited === undefined ? 'Save this view as' : 'Name'}
        value={name}
        required
        maxLength={200}
        onChange={setName}
      />
      <TextField
        label="Description"
        value={description}
        maxLength={2000}
        onChange={setDescription}
      />
      <CheckField
        label={`Share it with everyone who can see ${nameOf(objectType)}`}
        hint="including the values in its filters"
        isOn={isShared}
        onChange={setShared}
      />
      {edited !== undefined && edited.tiles === undefined && (
        <CheckField
          label="Replace it by the view on the screen"
          isOn={isReplaced}
          onChange={setReplaced}
        />
      )}
      <Mistake>{error && messageOf(error)}</Mistake>
      <span className="flex gap-2 mt-1.5">
        <Button type="submit" kind="primary" disabled={isBusy}>
          Save
        </Button>
        {edited !== undefined && (
          <Button
            kind="danger"
            disabled={isBusy}
            onClick={() =>
              write(`Deleted “${name.trim()}”.`, async () => {
                await deleteView(service, ontology.apiName, edited.id)
                onDeleted()
              })
            }
          >
            Delete
          </Button>
        )}
      </span>
    </form>
  )
}

/** Writes views of an ontology, and then reads them again. */
function useViewWrites({ of: { ontology }, onDone }: ViewsPanelProps) {
  const client = useQueryClient()
  const { run, ...task } = useTask()
  const write = (done: string, work: () => Promise<unknown>) =>
    run(async () => {
      await work()
      await client.invalidateQueries({ queryKey: ['views', ontology.apiName] })
      onDone(done)
    })
  return { write, ...task }
}

interface AddToDashboardProps extends ViewsPanelProps {
  readonly views: readonly SavedView[]
}

/** Adds what is on the screen to a dashboard of the same type, or starts one with it. */
function AddToDashboard({ of: { ontology, objectType }, views, onDone }: AddToDashboardProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState('')
  const { run, isBusy, error } = useTask()
  const typePath = `/${objectType.apiName}`
  const dashboards = views.filter(
    ({ tiles, mayChange, address }) => tiles && mayChange && address.split('?')[0] === typePath,
  )
  const options = [
    ['', 'A new dashboard'],
    ...dashboards.map(({ id, name }) => [id, name] as const),
  ] as const
  const view = fromSearch(new URLSearchParams(location.search))
  const isPictures = view.layout === 'charts' && view.chart === undefined
  const add = () =>
    run(async () => {
      const tile = tileOfView(view)
      const dashboard = dashboards.find(({ id }) => id === chosen)
      const body = dashboard
        ? { ...bodyOf(dashboard), tiles: [...(dashboard.tiles ?? []), tile] }
        : {
            name: `${nameOf(objectType)} dashboard`,
            address: typePath + sharedSearch(view),
            tiles: [tile],
          }
      const saved = await saveView(service, ontology.apiName, body, dashboard?.id)
      await client.invalidateQueries({ queryKey: ['views', ontology.apiName] })
      onDone()
      void navigate({ href: BASE_PATH + addressOf(ontology.apiName, saved) } as never)
    })
  return (
    <form
      className={`${FORM} w-full pt-3 border-t border-t-line`}
      onSubmit={submits(add)}
      aria-label="Add to a dashboard"
    >
      <SelectField
        label="Add what is on the screen to"
        value={chosen}
        options={options}
        onChange={setChosen}
      />
      {isPictures && <p className="label">Choose a chart first: pictures cannot be a tile.</p>}
      <Mistake>{error && messageOf(error)}</Mistake>
      <Button type="submit" className="justify-self-start" disabled={isBusy || isPictures}>
        Add to dashboard
      </Button>
    </form>
  )
}

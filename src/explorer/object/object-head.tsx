/** The way to an object, its title, its place in the list, and what can be done with it. */
import { findType, linksOf, nameOf } from '../api/ontology.ts'
import type { ObjectRecord } from '../api/records.ts'
import { EditActions } from '../edit/edit-actions.tsx'
import { linkFilter, type ObjectAddress } from '../queries/object-queries.ts'
import { Segments } from '../ui/segments.tsx'
import type { ObjectView, SetObjectView } from '../view/object-address.ts'
import { listText } from '../view/trail.ts'
import type { ViewState } from '../view/view-state.ts'
import { CompareMenu } from './compare-menu.tsx'
import { ListPosition } from './list-position.tsx'
import { ObjectRequests } from './object-requests.tsx'
import { TrailPath } from './trail-path.tsx'

export interface ObjectHeadProps {
  readonly address: ObjectAddress
  readonly record: ObjectRecord | undefined
  readonly view: ObjectView
  readonly setView: SetObjectView
}

const FORMS = ['properties', 'json'] as const

export function ObjectHead({ address, record, view, setView }: ObjectHeadProps) {
  const { ontology, objectType, key } = address
  const title = record?.title ?? key
  const list = listWithin(address, view)
  return (
    <header className="grid gap-2 mb-4">
      <TrailPath
        ontology={ontology}
        type={objectType.apiName}
        trail={view.trail}
        list={listText(view.list)}
        here={title}
      />
      <div className="flex flex-wrap gap-y-2 gap-x-6 items-center justify-between">
        <div className="flex flex-wrap gap-y-0 gap-x-2 items-baseline wrap-anywhere">
          <h1>{title}</h1>
          <span className="text-muted text-base font-normal">
            {nameOf(objectType)} {key}
          </span>
        </div>
        <div className="flex flex-wrap gap-2 items-center">
          {record !== undefined && list !== undefined && (
            <ListPosition listed={{ ontology, objectType, list, record }} view={view} />
          )}
          <CompareMenu address={address} setView={setView} />
          <ObjectRequests address={address} view={view} />
          <Segments
            label="Form"
            options={FORMS}
            nameOf={(name) => (name === 'json' ? 'JSON' : 'Properties')}
            value={view.isJson ? 'json' : 'properties'}
            onChange={(form) => setView({ isJson: form === 'json' }, { replace: true })}
          />
          {record !== undefined && <EditActions address={address} />}
        </div>
      </div>
    </header>
  )
}

/** Returns the list that the object is in, with the condition of the link that led to it. */
function listWithin(
  { ontology, objectType }: ObjectAddress,
  view: ObjectView,
): ViewState | undefined {
  const step = view.trail.at(-1)
  if (step === undefined) return view.list
  const source = findType(ontology, step.type)
  const link = linksOf(ontology, step.type).find(({ apiName }) => apiName === step.link)
  if (source === undefined || link?.cardinality !== 'many' || link.target !== objectType.apiName) {
    return undefined
  }
  const from = { key: step.key, title: undefined, properties: {} }
  return { ...view.list, filters: [...view.list.filters, linkFilter(link, from, objectType)] }
}

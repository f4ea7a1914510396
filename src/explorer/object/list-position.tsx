/** The position of an object in its list, with links to the previous and the next object. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keyText, type ObjectRecord } from '../api/records.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { useViewKeys } from '../ui/use-view-keys.ts'
import { type ObjectView, writeObjectView } from '../view/object-address.ts'
import { addressOf, toLink } from '../view/trail.ts'
import { canFindNeighbours, type ListedObject, neighboursQuery } from './neighbours.ts'

export interface ListPositionProps {
  readonly listed: ListedObject
  readonly view: ObjectView
}

export function ListPosition({ listed, view }: ListPositionProps) {
  const { service } = useSession()
  const navigate = useNavigate()
  const { ontology, objectType, list } = listed
  const { data } = useQuery({
    ...neighboursQuery(service, listed),
    enabled: canFindNeighbours(objectType, list.order),
  })
  const open = (record: ObjectRecord | undefined) => {
    if (record === undefined) return
    const search = writeObjectView({ ...view, with: undefined })
    const one = { type: objectType.apiName, key: keyText(record.key) }
    void navigate(toLink(addressOf(ontology.apiName, one, search)) as never)
  }
  useViewKeys({ '[': () => open(data?.previous), ']': () => open(data?.next) }, {})
  if (data === undefined) return null
  return (
    <div className="flex items-center text-base tabular-nums text-muted">
      <Button
        kind="quiet"
        aria-label="Previous object"
        title="Previous object ( [ )"
        disabled={data.previous === undefined}
        onClick={() => open(data.previous)}
      >
        <Icon name="back" size={14} />
      </Button>
      <span>
        {formatCount(data.position)} of {formatCount(data.total)}
      </span>
      <Button
        kind="quiet"
        aria-label="Next object"
        title="Next object ( ] )"
        disabled={data.next === undefined}
        onClick={() => open(data.next)}
      >
        <Icon name="next" size={14} />
      </Button>
    </div>
  )
}

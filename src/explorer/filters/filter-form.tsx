/** The editor of a filter: one condition, or several of which one must hold. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { countQuery } from '../queries/aggregate.ts'
import { useSession } from '../session/session.tsx'
import { Button, Icon, IconButton } from '../ui/controls.tsx'
import { submits } from '../ui/fields.tsx'
import { useSettled } from '../ui/hooks.ts'
import { alternativesOf, type Condition, type Filter, filterOf } from '../view/filters.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import { ConditionFields, isComplete, newCondition } from './condition-fields.tsx'

/** The view whose filters are shown and changed. */
export interface FilteredProps {
  /** What is counted, without filters that the type cannot answer. */
  readonly of: TypeView
  /** True once the version to count is known. */
  readonly canCount: boolean
  /** The view as the address has it. */
  readonly view: ViewState
  readonly setView: SetView
}

export interface FilterFormProps extends FilteredProps {
  /** The place of the filter that is changed; a new one without it. */
  readonly index?: number
  /** The property of a new filter. */
  readonly field?: string
  readonly close: () => void
}

export function FilterForm({ index, field, close, ...filtered }: FilterFormProps) {
  const { of, view, setView } = filtered
  const filter = index === undefined ? undefined : view.filters[index]
  const [conditions, setConditions] = useState<readonly Condition[]>(() =>
    filter === undefined ? [newCondition(of, field)] : alternativesOf(filter),
  )
  const written = conditions.every(isComplete) ? filterOf(conditions) : undefined
  const filtersWith = (saved: Filter) =>
    view.filters.toSpliced(index ?? view.filters.length, 1, saved)
  const save = () => {
    if (written === undefined) return
    close()
    setView({ filters: filtersWith(written) })
  }
  const last = conditions.length - 1
  return (
    <form className="grid gap-2 w-70" onSubmit={submits(save)}>
      {conditions.map((condition, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no identity of their own
          key={at}
          className={`grid gap-1.5 m-0 p-0 border-0 ${at === 0 ? '' : 'pt-2 border-t! border-line'}`}
        >
          {last > 0 && (
            <legend className="flex items-center justify-between w-full label">
              {at === 0 ? 'Either' : 'Or'}
              <IconButton
                icon="close"
                size={12}
                label={`Remove alternative ${at + 1}`}
                onClick={() => setConditions(conditions.toSpliced(at, 1))}
              />
            </legend>
          )}
          <ConditionFields
            of={of}
            canCount={filtered.canCount}
            condition={condition}
            takesFocus={at === last}
            onChange={(next) => setConditions(conditions.with(at, next))}
          />
        </fieldset>
      ))}
      <Matches {...filtered} filters={written && filtersWith(written)} />
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={written === undefined}>
          {filter === undefined ? 'Add the filter' : 'Save'}
        </Button>
        <Button onClick={() => setConditions([...conditions, newCondition(of, field)])}>
          <Icon name="plus" size={12} /> Or…
        </Button>
      </div>
    </form>
  )
}

interface MatchesProps extends FilteredProps {
  readonly filters: readonly Filter[] | undefined
}

/** How many objects match the filter that is being written; nothing until it is one. */
function Matches({ of, canCount, filters }: MatchesProps) {
  const { service } = useSession()
  // As a text, because a value settles when it is the same, not when it is equal.
  const settled = useSettled(JSON.stringify(filters ?? null))
  const asked = JSON.parse(settled) as readonly Filter[] | null
  const { data, isSuccess } = useQuery({
    ...countQuery(service, { ...of, view: { ...of.view, filters: asked ?? [] } }),
    enabled: canCount && asked !== null,
    placeholderData: keepPreviousData,
  })
  const isShown = asked !== null && isSuccess
  return (
    <p className="label min-h-4" role="status">
      {isShown && `${countOf(data, 'object')} ${data === 1 ? 'matches' : 'match'}`}
    </p>
  )
}

import { expect, it } from 'vitest'
import { withinLink } from './use-view.ts'
import { EMPTY_VIEW, type Filter, type ViewState } from './view-state.ts'

const LINK: Filter = { field: 'origin', operator: 'eq', value: 'ATL' }
const LATE: Filter = { field: 'late', operator: 'eq', value: 'true' }

it('keeps the condition of a link out of the address', () => {
  const changes: Partial<ViewState>[] = []
  const shown = { ...EMPTY_VIEW, filters: [LATE] }
  const left: ViewState[] = []
  const linked = { filter: LINK, leave: (view: ViewState) => left.push(view) }
  const { view, setView } = withinLink(shown, (change) => changes.push(change), linked)
  expect(view.filters).toEqual([LINK, LATE])
  setView({ filters: [{ ...LINK }] })
  setView({ layout: 'map' })
  setView({ filters: [LATE] })
  expect(changes).toEqual([{ filters: [] }, { layout: 'map' }])
  expect(left).toEqual([{ ...EMPTY_VIEW, filters: [LATE] }])
})

it('changes nothing where there is no link', () => {
  const setView = () => {}
  expect(withinLink(EMPTY_VIEW, setView, undefined)).toEqual({ view: EMPTY_VIEW, setView })
})

/**
 * Parts of the page that are loaded when they are first shown. A part that is lost leaves the rest of
 * the page as it is: a note in its place says why, and it is loaded again once the service is back.
 */
import { useQuery } from '@tanstack/react-query'
import { CatchBoundary } from '@tanstack/react-router'
import { type ComponentType, type FunctionComponent, useRef } from 'react'
import { LostPart, loadPart, waitMs } from '../api/load-part.ts'
import { Button, ViewError } from './controls.tsx'
import { Dialog } from './dialog.tsx'

type Load<Props> = () => Promise<ComponentType<Props>>

/** Returns a view that loads itself. The name is unique among all parts. */
export function lazyView<Props extends object>(
  name: string,
  load: Load<Props>,
): FunctionComponent<Props> {
  return function LazyView(props) {
    const { Part, lost, retry } = usePart(name, load)
    if (Part !== undefined) {
      return (
        <CatchBoundary getResetKey={() => name} errorComponent={ViewError}>
          <Part {...props} />
        </CatchBoundary>
      )
    }
    return (
      <div className="flex-1 min-w-0">
        {lost === undefined ? (
          <p className="late py-12 px-6 text-muted">Loading…</p>
        ) : (
          <div
            role="alert"
            className="grid gap-2 justify-items-start max-w-[60ch] m-4 py-3 px-4 border border-warn rounded-md bg-panel"
          >
            <p>{lost.message}</p>
            <LostActions lost={lost} retry={retry} />
          </div>
        )}
      </div>
    )
  }
}

/** Returns a dialog that loads itself; what is lost is reported in a dialog, too. */
export function lazyDialog<Props extends { readonly onClose: () => void }>(
  name: string,
  load: Load<Props>,
): FunctionComponent<Props> {
  return function LazyDialog(props) {
    const { Part, lost, retry } = usePart(name, load)
    if (Part !== undefined) return <Part {...props} />
    if (lost === undefined) return null
    const foot = (
      <>
        <LostActions lost={lost} retry={retry} />
        <Button onClick={props.onClose}>Close</Button>
      </>
    )
    return (
      <Dialog label="Not loaded" width={480} onClose={props.onClose} foot={foot}>
        <p role="alert">{lost.message}</p>
      </Dialog>
    )
  }
}

function usePart<Props>(name: string, load: Load<Props>) {
  const { data, error, refetch } = useQuery<ComponentType<Props>>({
    queryKey: ['part', name],
    queryFn: () => loadPart(load),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
    refetchInterval: ({ state }) =>
      reasonOf(state.error) === 'unreachable' ? waitMs(state.errorUpdateCount - 1) : false,
  })
  // The note stays during a further attempt, and so does the focus on its button.
  const lost = useRef<Error>(undefined)
  if (error !== null) lost.current = error
  return { Part: data, lost: lost.current, retry: () => void refetch() }
}

function reasonOf(error: Error | null): LostPart['reason'] | undefined {
  return error instanceof LostPart ? error.reason : undefined
}

function LostActions({ lost, retry }: { readonly lost: Error; readonly retry: () => void }) {
  const reason = reasonOf(lost)
  return (
    <p className="flex flex-wrap gap-2">
      {reason !== 'replaced' && <Button onClick={retry}>Try again</Button>}
      {reason !== 'unreachable' && (
        <Button onClick={() => location.reload()}>Reload the page</Button>
      )}
    </p>
  )
}

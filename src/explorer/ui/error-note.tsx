import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { OqsError } from '../../client/oqs-error.ts'
import { messageOf } from '../api/service.ts'
import { Button } from './button.tsx'

/** Says what went wrong, with the names that an operator can look up. */
export function ErrorNote(props: { readonly error: Error; readonly onRetry?: () => void }) {
  const { error, onRetry } = props
  return (
    <div
      role="alert"
      className="grid gap-2 justify-items-start m-4 py-3 px-4 border border-danger rounded-md bg-panel"
    >
      <p>{messageOf(error)}</p>
      {error instanceof OqsError && error.errorInstanceId !== undefined && (
        <p className="mono">
          {error.errorName} · {error.errorInstanceId}
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Says what is wrong with what a person wrote or asked for; nothing without a text. */
export function Mistake({ children }: { readonly children: ReactNode }) {
  return (
    children && (
      <p role="alert" className="mistake">
        {children}
      </p>
    )
  )
}

/** A screen that has nothing to show but a note. Screen readers find the title as its heading. */
export function ScreenNote({ title, children }: { readonly title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      {children}
    </>
  )
}

/** Takes the place of a view that failed while it was drawn; the rest of the page stays. */
export function ViewError({ error, reset }: ErrorComponentProps) {
  const reason = error instanceof Error ? error.message : String(error)
  const shown = new Error(`This view could not be shown: ${reason}`, { cause: error })
  return <ErrorNote error={shown} onRetry={reset} />
}

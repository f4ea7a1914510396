import { OqsError } from '../../client/oqs-error.ts'
import { messageOf } from '../api/service.ts'
import { Button } from './button.tsx'

export interface ErrorNoteProps {
  readonly error: Error
  readonly onRetry?: () => void
}

/** Says what went wrong, with the names that an operator can look up. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps) {
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

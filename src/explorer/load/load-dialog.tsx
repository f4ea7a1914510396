/** Loads a file: choose it, look at what it holds, decide where it goes, follow the load. */

import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { serviceUrl } from '../api/service-url.ts'
import { useRefresh } from '../edit/use-writes.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { applyType } from './apply-type.ts'
import { ChooseFile } from './choose-file.tsx'
import styles from './load.module.css'
import { LoadOutcome } from './load-outcome.tsx'
import { LoadProgress, ReadProgress } from './load-progress.tsx'
import { Preview, type Target } from './preview.tsx'
import type { ScreenParams } from './screen-params.ts'
import { useFileLoad } from './use-file-load.ts'

export interface LoadDialogProps {
  /** Files that were dropped; the user chooses one if there are none. */
  readonly files: readonly File[]
  readonly screen: ScreenParams
  readonly onClose: () => void
}

export function LoadDialog({ files, screen, onClose }: LoadDialogProps) {
  const { readToken } = useSession()
  const client = useQueryClient()
  const refresh = useRefresh()
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const [error, setError] = useState<Error>()
  const [isCreating, setCreating] = useState(false)
  const { stage, read, load, stop, restart } = useFileLoad(readToken, () => void refresh())
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => read(files), [files, read])
  // Each stage removes the element that had the focus.
  useEffect(() => {
    if (stage.kind !== 'choosing') heading.current?.focus()
  }, [stage.kind])

  const start = async (file: File, target: Target) => {
    setError(undefined)
    setCreating(true)
    const { ontology, columns, mode, isNew } = target
    try {
      const objectType = isNew
        ? await applyType(await readToken(), ontology, target.objectType)
        : target.objectType
      if (isNew) {
        await Promise.all(
          [['ontologies'], ['definition', ontology]].map((queryKey) =>
            client.invalidateQueries({ queryKey }),
          ),
        )
      }
      // The user may have closed the dialog meanwhile; the type stays, without rows.
      if (dialog.current?.open !== true) return
      load({ file, baseUrl: serviceUrl(), ontology, objectType, columns, mode })
    } catch (reason) {
      setError(reason as Error)
    } finally {
      setCreating(false)
    }
  }
  // Escape stops a load, and the dialog stays open to report what was sent.
  const isLoading = stage.kind === 'loading'
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isLoading || event.key !== 'Escape') return
    event.preventDefault()
    stop()
  }
  const title = stage.kind === 'choosing' ? 'Load a file' : `Load ${nameOfStage(stage)}`
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={title}
      data-stage={stage.kind}
      closedby={isLoading ? 'none' : 'closerequest'}
      onKeyDown={onKeyDown}
      onClose={onClose}
    >
      <header className={styles.head}>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
      </header>
      {error !== undefined && (
        <div className={styles.body}>
          <ErrorNote error={error} />
        </div>
      )}
      {stage.kind === 'choosing' && <ChooseFile mistake={stage.mistake} onChosen={read} />}
      {stage.kind === 'reading' && <ReadProgress stage={stage} onStop={stop} />}
      {stage.kind === 'preview' && (
        <Preview
          file={stage.file}
          report={stage.report}
          screen={screen}
          isBusy={isCreating}
          onBack={restart}
          onLoad={(target) => void start(stage.file, target)}
        />
      )}
      {stage.kind === 'loading' && <LoadProgress stage={stage} onStop={stop} />}
      {stage.kind === 'ended' && <LoadOutcome stage={stage} onAgain={restart} onClose={onClose} />}
      {(stage.kind === 'choosing' || stage.kind === 'reading') && (
        <footer className={styles.foot}>
          <Button onClick={onClose}>Cancel</Button>
        </footer>
      )}
    </dialog>
  )
}

function nameOfStage(
  stage: Exclude<ReturnType<typeof useFileLoad>['stage'], { kind: 'choosing' }>,
) {
  return 'spec' in stage ? stage.spec.file.name : stage.file.name
}

/** Loads a file: choose it, look at what it holds, decide where it goes, follow the load. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { BASE_PATH, screenPath } from '../api/base-path.ts'
import { useSession } from '../session/session.tsx'
import { useLastChange, useRefresh, useRefreshTypes } from '../session/use-writes.ts'
import { DialogFrame, DialogHead, DialogParts } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useTask } from '../ui/use-task.ts'
import { applyType } from './apply-type.ts'
import { ChooseFile } from './choose-file.tsx'
import { LoadOutcome, LoadProgress, ReadProgress } from './load-outcome.tsx'
import { undoableLoad } from './load-undo.ts'
import type { LoadSpec, ScreenParams } from './messages.ts'
import { Preview } from './preview.tsx'
import { type Stage, useFileLoad } from './use-file-load.ts'

export interface LoadDialogProps {
  /** Files that were dropped; the user chooses one if there are none. */
  readonly files: readonly File[]
  readonly screen: ScreenParams
  readonly onClose: () => void
}

export function LoadDialog({ files, screen, onClose }: LoadDialogProps) {
  const { readToken } = useSession()
  const refresh = useRefresh()
  const isOpen = useRef(true)
  const heading = useRef<HTMLHeadingElement>(null)
  const { run, isBusy, error } = useTask()
  const { setLastChange } = useLastChange()
  const navigate = useNavigate()
  const [isUndoable, setUndoable] = useState(false)
  const readTypes = useRefreshTypes()
  const { stage, read, load, stop, restart } = useFileLoad({
    readToken,
    onEnded: (ended, worker) => {
      const { ontology, objectType } = ended.spec
      const leave = async () => {
        await readTypes(ontology)
        if (isShown(ontology, objectType.apiName)) await navigate({ to: '/' })
      }
      const change = undoableLoad(ended, worker, leave)
      setUndoable(change !== undefined)
      if (change !== undefined) setLastChange(change)
      if (ended.remains?.isTypeRemoved) void readTypes(ontology)
      void refresh()
      return change?.release !== undefined
    },
  })
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const readDropped = useEffectEvent(read)
  useEffect(() => readDropped(files), [files])
  // Each stage removes the element that had the focus.
  useEffect(() => {
    if (stage.kind !== 'choosing') heading.current?.focus()
  }, [stage.kind])

  const start = (spec: LoadSpec) =>
    run(async () => {
      const { ontology, created } = spec
      const objectType =
        created === undefined
          ? spec.objectType
          : await applyType(await readToken(), ontology, spec.objectType)
      if (created !== undefined) await readTypes(ontology)
      // The user may have closed the dialog meanwhile; the type stays, without rows.
      if (isOpen.current) load({ ...spec, objectType })
    })
  const title = stage.kind === 'choosing' ? 'Load a file' : `Load ${nameOfStage(stage)}`
  return (
    <DialogFrame
      label={title}
      width={stage.kind === 'preview' || stage.kind === 'ended' ? 1040 : 640}
      onClose={onClose}
      // Escape stops a load, and the dialog stays open to report what was sent.
      onEscape={stage.kind === 'loading' ? stop : undefined}
    >
      <DialogHead title={title} headingRef={heading} />
      {error !== undefined && (
        <DialogParts>
          <ErrorNote error={error} />
        </DialogParts>
      )}
      {stage.kind === 'choosing' && (
        <ChooseFile mistake={stage.mistake} onChosen={read} onCancel={onClose} />
      )}
      {stage.kind === 'reading' && <ReadProgress stage={stage} onStop={stop} onCancel={onClose} />}
      {stage.kind === 'preview' && (
        <Preview
          file={stage.file}
          report={stage.report}
          screen={screen}
          isBusy={isBusy}
          onBack={restart}
          onCancel={onClose}
          onLoad={(spec) => void start(spec)}
        />
      )}
      {stage.kind === 'loading' && <LoadProgress stage={stage} onStop={stop} />}
      {stage.kind === 'ended' && (
        <LoadOutcome stage={stage} isUndoable={isUndoable} onAgain={restart} onClose={onClose} />
      )}
    </DialogFrame>
  )
}

/** True if the page shows a type, or one of its objects. */
function isShown(ontology: string, type: string): boolean {
  const path = BASE_PATH + screenPath(ontology, type)
  return location.pathname === path || location.pathname.startsWith(`${path}/`)
}

function nameOfStage(stage: Exclude<Stage, { kind: 'choosing' }>): string {
  return 'spec' in stage ? stage.spec.file.name : stage.file.name
}

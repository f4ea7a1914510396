/** Loads a file: choose it, look at what it holds, decide where it goes, follow the load. */
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import type { UndoResult } from '../../transfer/compare/stored-objects.ts'
import { BASE_PATH, screenPath } from '../api/base-path.ts'
import type { Service } from '../api/service.ts'
import {
  type LastChange,
  useLastChange,
  useRefresh,
  useRefreshTypes,
} from '../session/use-writes.ts'
import { Button, ErrorNote, Icon, Mistake } from '../ui/controls.tsx'
import { DialogFrame, DialogHead, DialogParts } from '../ui/dialog.tsx'
import { useTask } from '../ui/hooks.ts'
import { applyType } from './apply-type.ts'
import { LoadOutcome, LoadProgress, ReadProgress } from './load-outcome.tsx'
import type { LoadSpec, ScreenParams } from './messages.ts'
import { Preview } from './preview.tsx'
import { type Ended, type LoadWorker, type Stage, useFileLoad } from './use-file-load.ts'

export interface LoadDialogProps {
  /** Files that were dropped; the user chooses one if there are none. */
  readonly files: readonly File[]
  readonly screen: ScreenParams
  readonly onClose: () => void
}

export function LoadDialog({ files, screen, onClose }: LoadDialogProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { stage, isUndoable, start, read, stop, restart, isBusy, error } = useDialogLoad(files)
  // Each stage removes the element that had the focus.
  useEffect(() => {
    if (stage.kind !== 'choosing') heading.current?.focus()
  }, [stage.kind])
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

/** The stages of a load, which starts with the files that were dropped. */
function useDialogLoad(files: readonly File[]) {
  const refresh = useRefresh()
  const isOpen = useRef(true)
  const { run, isBusy, error } = useTask()
  const { setLastChange } = useLastChange()
  const navigate = useNavigate()
  const [isUndoable, setUndoable] = useState(false)
  const readTypes = useRefreshTypes()
  const { stage, read, load, stop, restart } = useFileLoad({
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
  const start = (spec: LoadSpec) =>
    run(async () => {
      const { ontology, created } = spec
      const objectType =
        created === undefined ? spec.objectType : await applyType(ontology, spec.objectType)
      if (created !== undefined) await readTypes(ontology)
      // The user may have closed the dialog meanwhile; the type stays, without rows.
      if (isOpen.current) load({ ...spec, objectType })
    })
  return { stage, isUndoable, start, read, stop, restart, isBusy, error }
}

/** True if the page shows a type, or one of its objects. */
function isShown(ontology: string, type: string): boolean {
  const path = BASE_PATH + screenPath(ontology, type)
  return location.pathname === path || location.pathname.startsWith(`${path}/`)
}

function nameOfStage(stage: Exclude<Stage, { kind: 'choosing' }>): string {
  return 'spec' in stage ? stage.spec.file.name : stage.file.name
}

/** Returns the load as the last change of the tab; undefined if it cannot be taken back. */
export function undoableLoad(
  ended: Ended,
  worker: LoadWorker,
  onTypeRemoved: () => Promise<void>,
): LastChange | undefined {
  const { spec, counts, remains } = ended
  const { apiName } = spec.objectType
  if (remains === undefined || remains.isTypeRemoved) return undefined
  if (spec.created !== undefined) {
    return {
      text: `Created ${apiName} with ${countOf(counts.put, 'object')}.`,
      undo: async (service) => {
        const text = await removeLoadedType(spec, remains.version, service)
        await onTypeRemoved()
        return text
      },
    }
  }
  if (!remains.isUndoable) return undefined
  return {
    text: `Loaded ${spec.file.name} into ${apiName}.`,
    undo: async () => describe(await takeBack(worker)),
    release: () => worker.terminate(),
  }
}

function takeBack(worker: LoadWorker): Promise<UndoResult> {
  return new Promise((resolve, reject) => {
    worker.listen((report) => {
      if (report.kind === 'undone') resolve(report.result)
      else if (report.kind === 'failed') reject(new Error(`Not undone: ${report.reason}`))
    })
    worker.post({ kind: 'undo' })
  })
}

function describe({ removed, restored, skipped }: UndoResult): string {
  const done = [
    ...(removed > 0 ? [`${countOf(removed, 'object')} removed`] : []),
    ...(restored > 0 ? [`${countOf(restored, 'object')} restored`] : []),
  ]
  const text = done.length === 0 ? 'Nothing was left to undo.' : `Undone: ${done.join(', ')}.`
  if (skipped === 0) return text
  const verb =
    skipped === 1 ? 'was changed since the load and stays' : 'were changed since the load and stay'
  return `${text} ${countOf(skipped, 'object')} ${verb} as ${skipped === 1 ? 'it is' : 'they are'}.`
}

/** Removes a type with its objects, unless somebody wrote to it after the load. */
async function removeLoadedType(
  { ontology, objectType: { apiName }, created }: LoadSpec,
  version: number,
  { administration }: Service,
): Promise<string> {
  const { objectTypes } = await administration.getObjectCounts(ontology)
  const state = objectTypes[apiName]
  if (state === undefined) return `${apiName} was deleted already.`
  if (state.version !== version) {
    throw new Error(`Not undone: ${apiName} was changed after the load. Delete the type instead.`)
  }
  await administration.deleteObjectType({ ontology, objectType: apiName })
  // Others may have added types to it, with objects that stay.
  if (created === 'ontology') await administration.deleteOntology(ontology).catch(() => {})
  return `Undone: ${apiName} removed.`
}

const ENDINGS = '.csv,.tsv,.tab,.txt,.json,.geojson,.ndjson,.jsonl,.parquet,.gz'

export interface ChooseFileProps {
  readonly mistake: string | undefined
  readonly onChosen: (files: readonly File[]) => void
  readonly onCancel: () => void
}

export function ChooseFile({ mistake, onChosen, onCancel }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onChosen([...event.dataTransfer.files])
  }
  return (
    <DialogParts foot={<Button onClick={onCancel}>Cancel</Button>}>
      <Mistake>{mistake}</Mistake>
      <section
        className="grid justify-items-center gap-3 py-10 px-6 border-2 border-dashed border-edge rounded-lg text-muted text-center transition-[background] duration-(--motion) data-[over=true]:border-accent data-[over=true]:bg-accent-bg"
        data-over={isOver}
        aria-label="Drop a file"
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="upload" size={28} />
        <p className="text-ink">Drop a file here, or choose one.</p>
        <Button kind="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          accept={ENDINGS}
          aria-label="File"
          hidden
          onChange={({ target }) => onChosen([...(target.files ?? [])])}
        />
        <p className="label max-w-[46ch]">
          CSV, TSV, NDJSON, a JSON array, GeoJSON or Parquet, optionally compressed with gzip. The
          first line of CSV names the columns. Nothing is written before you have seen the file.
        </p>
      </section>
    </DialogParts>
  )
}

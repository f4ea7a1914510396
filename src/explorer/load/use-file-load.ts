/** The course of one load: the file is read, looked at, and its objects are sent. */

import { useCallback, useEffect, useRef, useState } from 'react'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import workerUrl from './load-worker.ts?worker&url'
import type { Command, FileReport, LoadCounts, LoadRemains, LoadSpec, Report } from './messages.ts'

export type Stage =
  | { readonly kind: 'choosing'; readonly mistake?: string | undefined }
  | {
      readonly kind: 'reading'
      readonly file: File
      readonly rows: number
      readonly bytesRead: number
    }
  | { readonly kind: 'preview'; readonly file: File; readonly report: FileReport }
  | Loading
  | Ended

export interface Loading {
  readonly kind: 'loading'
  readonly spec: LoadSpec
  readonly counts: LoadCounts
  readonly rejections: readonly Rejection[]
  readonly startedAtMs: number
  readonly isStopping: boolean
  readonly isIndexing: boolean
}

export interface Ended {
  readonly kind: 'ended'
  readonly spec: LoadSpec
  readonly counts: LoadCounts
  readonly rejections: readonly Rejection[]
  readonly durationMs: number
  /** True if all rows were read and sent. */
  readonly isComplete: boolean
  /** Why it ended early; undefined if the user stopped it. */
  readonly reason: string | undefined
  /** True if it is not known whether the rows that were sent are stored. */
  readonly isUncertain: boolean
  /** Undefined if the worker failed. */
  readonly remains: LoadRemains | undefined
}

export interface Load {
  readonly stage: Stage
  readonly read: (files: readonly File[]) => void
  readonly load: (spec: LoadSpec) => void
  /** Ends a reading with the rows so far, or cancels a load. */
  readonly stop: () => void
  readonly restart: () => void
}

const NOTHING: LoadCounts = { rows: 0, sent: 0, put: 0, kept: 0, rejected: 0, bytesRead: 0 }

export interface LoadCallbacks {
  readonly readToken: () => Promise<string>
  /** Called when a load has ended. Returns true to keep the worker, which can then undo the load. */
  readonly onEnded: (ended: Ended, worker: LoadWorker) => boolean
}

export function useFileLoad(given: LoadCallbacks): Load {
  const [stage, setStage] = useState<Stage>({ kind: 'choosing' })
  const worker = useRef<LoadWorker>(undefined)
  const callbacks = useRef(given)
  callbacks.current = given
  const start = useCallback((next: Stage) => {
    worker.current?.terminate()
    let stage = next
    const started = startWorker(
      () => callbacks.current.readToken(),
      (report) => {
        const after = follow(stage, report)
        // The user may have asked to stop in the meantime.
        setStage((current) =>
          after.kind === 'loading' && current.kind === 'loading'
            ? { ...after, isStopping: current.isStopping }
            : after,
        )
        stage = after
        if (after.kind !== 'ended') return
        if (callbacks.current.onEnded(after, started)) worker.current = undefined
      },
    )
    worker.current = started
    setStage(next)
    return started
  }, [])
  useEffect(() => () => worker.current?.terminate(), [])
  useLeaveWarning(stage.kind === 'loading')
  const read = useCallback(
    (files: readonly File[]) => {
      const [file, ...others] = files
      if (file === undefined) return
      if (others.length > 0) {
        setStage({ kind: 'choosing', mistake: 'Choose one file at a time.' })
        return
      }
      start({ kind: 'reading', file, rows: 0, bytesRead: 0 }).post({ kind: 'read', file })
    },
    [start],
  )
  const load = useCallback(
    (spec: LoadSpec) =>
      start({
        kind: 'loading',
        spec,
        counts: NOTHING,
        rejections: [],
        startedAtMs: performance.now(),
        isStopping: false,
        isIndexing: false,
      }).post({ kind: 'load', spec }),
    [start],
  )
  const stop = useCallback(() => {
    worker.current?.post({ kind: 'stop' })
    setStage((current) => (current.kind === 'loading' ? { ...current, isStopping: true } : current))
  }, [])
  const restart = useCallback(() => {
    worker.current?.terminate()
    setStage({ kind: 'choosing' })
  }, [])
  return { stage, read, load, stop, restart }
}

/** Makes the browser ask before the page is left. */
function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isNeeded])
}

/** Returns the stage after a report of the worker. */
function follow(stage: Stage, report: Report): Stage {
  if (stage.kind === 'reading') {
    const { file } = stage
    if (report.kind === 'reading') return { ...stage, ...report }
    if (report.kind === 'read') return { kind: 'preview', file, report: report.report }
    if (report.kind === 'failed') {
      return { kind: 'choosing', mistake: `${file.name}: ${report.reason}` }
    }
  }
  if (stage.kind === 'loading') {
    if (report.kind === 'loading') {
      return {
        ...stage,
        counts: report.counts,
        rejections: [...stage.rejections, ...report.rejections],
      }
    }
    if (report.kind === 'indexing') return { ...stage, isIndexing: true }
    const { spec, counts, rejections, startedAtMs } = stage
    return {
      kind: 'ended',
      spec,
      counts,
      rejections,
      durationMs: performance.now() - startedAtMs,
      isComplete: report.kind === 'loaded',
      reason: report.kind === 'stopped' || report.kind === 'failed' ? report.reason : undefined,
      isUncertain: report.kind === 'failed' || (report.kind === 'stopped' && report.isUncertain),
      remains: 'remains' in report ? report.remains : undefined,
    }
  }
  return stage
}

export interface LoadWorker {
  readonly post: (command: Command) => void
  /** Replaces the function that receives the reports. */
  readonly listen: (onReport: (report: Report) => void) => void
  readonly terminate: () => void
}

/** The part of Trusted Types that a worker needs; not every browser has it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

/** The policy of the page allows one Trusted Types policy, and only addresses that it has made. */
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('oqs-load', { createScriptURL: () => workerUrl })

export function startWorker(
  readToken: () => Promise<string>,
  onReport: (report: Report) => void,
): LoadWorker {
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
  let listener = onReport
  const post = (command: Command) => worker.postMessage(command)
  worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
    if (data.kind !== 'tokenNeeded') listener(data)
    else void readToken().then((token) => post({ kind: 'token', token }))
  })
  worker.addEventListener('error', ({ message }) =>
    listener({ kind: 'failed', reason: message || 'The program that reads files did not start.' }),
  )
  return {
    post,
    listen: (next) => {
      listener = next
    },
    terminate: () => worker.terminate(),
  }
}

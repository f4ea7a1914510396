/** The course of one load: the file is read, looked at, and its objects are sent. */

import { useEffect, useRef, useState } from 'react'
import type { Rejection } from '../../transfer/import/batch.ts'
import { useListener } from '../ui/hooks.ts'
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

/** What both a running and an ended load have. */
interface Sent {
  readonly spec: LoadSpec
  readonly counts: LoadCounts
  readonly rejections: readonly Rejection[]
}

export interface Loading extends Sent {
  readonly kind: 'loading'
  readonly startedAtMs: number
  readonly isStopping: boolean
  readonly isIndexing: boolean
}

export interface Ended extends Sent {
  readonly kind: 'ended'
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

const NOTHING: LoadCounts = { rows: 0, sent: 0, put: 0, kept: 0, rejected: 0, bytesRead: 0 }

export interface LoadCallbacks {
  /** Called when a load has ended. Returns true to keep the worker, which can then undo the load. */
  readonly onEnded: (ended: Ended, worker: LoadWorker) => boolean
}

export function useFileLoad(given: LoadCallbacks) {
  const [stage, setStage] = useState<Stage>({ kind: 'choosing' })
  const current = useRef(stage)
  const worker = useRef<LoadWorker>(undefined)
  const callbacks = useRef(given)
  callbacks.current = given
  const show = (next: Stage) => {
    current.current = next
    setStage(next)
  }
  const start = (first: Stage, command: Command) => {
    worker.current?.terminate()
    const started = startWorker((report) => {
      const next = follow(current.current, report)
      show(next)
      if (next.kind !== 'ended') return
      if (callbacks.current.onEnded(next, started)) worker.current = undefined
    })
    worker.current = started
    show(first)
    started.post(command)
  }
  useEffect(() => () => worker.current?.terminate(), [])
  useListener('beforeunload', (event) => {
    if (stage.kind === 'loading') event.preventDefault()
  })
  return {
    stage,
    read: ([file, ...others]: readonly File[]) => {
      if (others.length > 0) show({ kind: 'choosing', mistake: 'Choose one file at a time.' })
      else if (file !== undefined) {
        start({ kind: 'reading', file, rows: 0, bytesRead: 0 }, { kind: 'read', file })
      }
    },
    load: (spec: LoadSpec) => {
      const sent = { spec, counts: NOTHING, rejections: [], startedAtMs: performance.now() }
      const first = { kind: 'loading', ...sent, isStopping: false, isIndexing: false } as const
      start(first, { kind: 'load', spec })
    },
    /** Ends a reading with the rows so far, or cancels a load. */
    stop: () => {
      worker.current?.post({ kind: 'stop' })
      if (current.current.kind === 'loading') show({ ...current.current, isStopping: true })
    },
    restart: () => {
      worker.current?.terminate()
      show({ kind: 'choosing' })
    },
  }
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
      const rejections = [...stage.rejections, ...report.rejections]
      return { ...stage, counts: report.counts, rejections }
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

/** Starts the worker that reads files. */
export function startWorker(onReport: (report: Report) => void): LoadWorker {
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
  let listener = onReport
  const post = (command: Command) => worker.postMessage(command)
  worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
    listener(data)
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

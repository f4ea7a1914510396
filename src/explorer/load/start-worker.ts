/** Starts the worker that reads files. */
import workerUrl from './load-worker.ts?worker&url'
import type { Command, Report } from './messages.ts'

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

/** Reads files and sends their objects, in a worker, so that the page stays responsive. */
import type { UndoResult } from '../../transfer/compare/stored-objects.ts'
import { compareFile, loadFile } from './load-file.ts'
import type { Command, Report } from './messages.ts'
import { readFile } from './read-file.ts'

listen(new AbortController())

function listen(stop: AbortController): void {
  const { signal } = stop
  const waiting: ((token: string) => void)[] = []
  const readToken = () =>
    new Promise<string>((resolve) => {
      waiting.push(resolve)
      report({ kind: 'tokenNeeded' })
    })
  let undo: (() => Promise<UndoResult>) | undefined
  const run = (work: Promise<void>) =>
    work.catch((error: Error) => report({ kind: 'failed', reason: error.message }))
  const load = async (spec: Parameters<typeof loadFile>[0]) => {
    undo = await loadFile(spec, { readToken, signal, report })
  }
  const takeBack = async () => {
    if (undo !== undefined) report({ kind: 'undone', result: await undo() })
  }
  addEventListener('message', ({ data }: MessageEvent<Command>) => {
    if (data.kind === 'stop') stop.abort()
    else if (data.kind === 'token') waiting.shift()?.(data.token)
    else if (data.kind === 'read') void run(readFile(data.file, { signal, report }))
    else if (data.kind === 'compare') {
      void run(compareFile(data.spec, { readToken, signal, report }))
    } else if (data.kind === 'load') void run(load(data.spec))
    else void run(takeBack())
  })
}

function report(message: Report): void {
  postMessage(message)
}

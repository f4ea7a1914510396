import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { MeasuredProcess } from '../processes.ts'
import { CONCURRENCY } from '../rounds.ts'
import type { Workspace } from '../workspace.ts'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))

/** Starts the bare server of the layouts on the files of the run. */
export async function startLayoutServer(workspace: Workspace): Promise<MeasuredProcess> {
  const started = performance.now()
  const child = fork(SERVER, [workspace.folder])
  workspace.adopt(child)
  const port = await Promise.race([
    once(child, 'message').then(([message]) => Number(message)),
    once(child, 'exit').then(() => Promise.reject(new Error('a server ended before it listened'))),
  ])
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  return {
    pid: child.pid ?? 0,
    startMs: performance.now() - started,
    url: new URL(`http://127.0.0.1:${port}`),
    agent,
    headers: {},
    async [Symbol.asyncDispose]() {
      agent.destroy()
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

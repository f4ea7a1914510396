/** Processes that a run starts: their environment, what they print, and how they end. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const STOP_MS = 10_000

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Returns the environment without settings of the user, which would change what is measured. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^OQS_/.test(name)))
}

/** Yields the addresses that a server prints, until it exits. */
export async function* listeningUrls({ stdout }: ChildProcess): AsyncGenerator<URL> {
  if (stdout === null) throw new Error('The server has no standard output.')
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)/.exec(line)?.[1]
    if (url !== undefined) yield new URL(url)
  }
}

export async function listeningUrl(child: ChildProcess): Promise<URL> {
  for await (const url of listeningUrls(child)) return url
  throw new Error('A server exited before it was ready.')
}

/** Keeps the last line of standard error, for the message of a failure. */
export function keepLastLine(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-600)
  })
  return () => text.trim().split('\n').at(-1) ?? ''
}

/**
 * Loads a part of the explorer, and finds out why one is lost: the service may be gone, or it may
 * have another release, which no longer has the files of the open page.
 */
import { BASE_PATH } from './base-path.ts'

export type LossReason = 'unreachable' | 'replaced' | 'unknown'

const MESSAGES: Readonly<Record<LossReason, string>> = {
  unreachable:
    'The service cannot be reached, so this part of the page could not be loaded. It is tried again until the service is back.',
  replaced:
    'The service has another release of the explorer now, without this part of the open page. Reload the page; its address keeps the view.',
  unknown: 'This part of the page could not be loaded.',
}

/** A part of the explorer that could not be loaded. */
export class LostPart extends Error {
  readonly reason: LossReason

  constructor(reason: LossReason, cause: unknown) {
    super(MESSAGES[reason], { cause })
    this.name = 'LostPart'
    this.reason = reason
  }
}

/**
 * Runs a dynamic import; if it fails, throws why. Asks the service first: some browsers remember a
 * failed import, and never try it again.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  const reason = await findReason()
  if (reason === 'unreachable') throw new LostPart(reason, undefined)
  try {
    return await load()
  } catch (error) {
    throw new LostPart(reason, error)
  }
}

/** Compares the page that the service has with the open one: names of files contain a hash. */
async function findReason(): Promise<LossReason> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"]')
  const name = script?.src.split('/').at(-1)
  try {
    const response = await fetch(`${BASE_PATH}/`, { credentials: 'omit', cache: 'no-store' })
    if (!response.ok) return 'unreachable'
    const page = await response.text()
    return name === undefined || page.includes(name) ? 'unknown' : 'replaced'
  } catch {
    return 'unreachable'
  }
}

const FIRST_MS = 2000
const LONGEST_MS = 30_000

/** Returns the wait before a further attempt. It doubles, unless the service names one. */
export function waitMs(attempt: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return Math.min(LONGEST_MS, retryAfterMs)
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
}

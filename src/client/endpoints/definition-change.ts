/** Options of changes of definitions, and changes in the background. */
import type { CallOptions } from '../connection.ts'
import { realPause } from '../retry.ts'

export interface DefinitionOptions extends CallOptions {
  /** Returns what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Allows changes that drop values. */
  readonly allowDataLoss?: boolean | undefined
  /** Changes the definition only if it has this entity tag. */
  readonly ifMatch?: string | undefined
  /** `*` only creates an ontology. */
  readonly ifNoneMatch?: string | undefined
}

/** A definition with the entity tag that a change must match. */
export interface TaggedDefinition {
  readonly definition: unknown
  readonly etag: string | undefined
}

/** A change as the service describes it. */
export interface DefinitionChange {
  readonly id: string
  readonly ontologyRid: string
  readonly state: 'running' | 'published' | 'failed' | 'cancelled'
  readonly startedAt: string
  readonly changes: readonly unknown[]
  /** The progress of each type with objects to convert. */
  readonly objectTypes: readonly {
    readonly objectType: string
    readonly phase: string
    readonly objects: number
    readonly totalObjects: number
  }[]
  /** The change waits until these objects are published or abandoned. */
  readonly loadingObjects?: number
  /** Why the change has failed. */
  readonly reasons: readonly string[]
  readonly unfitObjects: readonly unknown[]
}

/** True if the service answered a definition with a change that it carries out later. */
export function isDefinitionChange(response: unknown): response is DefinitionChange {
  return typeof response === 'object' && response !== null && 'state' in response
}

/** The endpoints that are used here, see `Administration`. */
export interface DefinitionEndpoints {
  applyDefinition(ontology: string, definition: unknown, call?: CallOptions): Promise<unknown>
  getDefinition(ontology: string, call?: CallOptions): Promise<unknown>
  getDefinitionChange(ontology: string, call?: CallOptions): Promise<DefinitionChange>
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (change: DefinitionChange) => void
}

const POLL_MS = 500

/** Waits until a change is published; throws if it fails or is cancelled. */
export async function waitForChange(
  administration: DefinitionEndpoints,
  started: DefinitionChange,
  { signal, onProgress }: WaitOptions = {},
): Promise<void> {
  const { id, ontologyRid } = started
  let change = started
  while (change.state === 'running' && change.id === id) {
    onProgress?.(change)
    await realPause(POLL_MS, signal)
    change = await administration.getDefinitionChange(ontologyRid, { signal })
  }
  if (change.id !== id) throw new Error('Another change was started; the outcome is not known.')
  if (change.state === 'cancelled') throw new Error('The change of the definition was cancelled.')
  if (change.state === 'failed') {
    throw new Error(`The definition was not changed:\n  ${change.reasons.join('\n  ')}`)
  }
}

/** Applies a definition, and waits until it is in force. Returns it as the service saved it. */
export async function applyAndWait(
  administration: DefinitionEndpoints,
  ontology: string,
  definition: unknown,
  options: WaitOptions = {},
): Promise<unknown> {
  const { signal } = options
  const applied = await administration.applyDefinition(ontology, definition, { signal })
  if (!isDefinitionChange(applied)) return applied
  await waitForChange(administration, applied, options)
  return administration.getDefinition(applied.ontologyRid, { signal })
}

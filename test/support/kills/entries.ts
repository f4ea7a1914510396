/** The objects of killed services: those of the writers lie between many that nobody changes. */
import type { OntologyDefinition } from '../../../src/ontology/definition/definition-schema.ts'

export const ONTOLOGY = 'kills'
export const TYPE = 'entry'

export const DEFINITION: OntologyDefinition = {
  apiName: ONTOLOGY,
  objectTypes: [
    {
      apiName: TYPE,
      primaryKey: 'key',
      properties: {
        key: { type: 'string' },
        kind: { type: 'string' },
        count: { type: 'integer' },
        text: { type: 'string' },
      },
    },
  ],
}

export interface Entry {
  readonly key: string
  readonly kind: 'written' | 'unchanged'
  /** The number of the write that wrote the object last. */
  readonly count: number
  readonly text: string
}

/** The number of keys of each writer. */
export const SLOTS = 30

const WORDS = 'an object that nobody changes while the service is killed and started again'.split(
  ' ',
)

/** Returns the key of a writer, between the keys of the objects that nobody changes. */
export function keyOf(writer: number, slot: number, objects: number): string {
  return `${keyAt(Math.floor((slot * objects) / SLOTS))}-${writer}-${slot}`
}

/** Returns the lines of a file with objects that nobody changes, about 300 bytes each. */
export function* unchangedLines(objects: number): Generator<string> {
  for (let at = 0; at < objects; at += 1) {
    const words = Array.from({ length: 30 }, (_, n) => WORDS[(at * (n + 7)) % WORDS.length])
    const entry: Entry = { key: keyAt(at), kind: 'unchanged', count: at, text: words.join(' ') }
    yield `${JSON.stringify(entry)}\n`
  }
}

/** Keys have a fixed width, so that they sort like their numbers. */
function keyAt(at: number): string {
  return String(at).padStart(9, '0')
}

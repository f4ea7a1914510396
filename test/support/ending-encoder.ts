import type { ObjectType } from '../../src/ontology/ontology.ts'
import type { ChangeEncoder } from '../../src/store/object-store.ts'

/** Encodes changes as their keys. Ends the thread for the type `ending`, and fails for `failing`. */
export function createEncoder({ apiName }: ObjectType, options: unknown): ChangeEncoder {
  if (apiName === 'ending') process.exit()
  if (apiName === 'failing') throw new Error('the encoder failed')
  return {
    encode: (changes) => {
      const keys = Array.from(changes, (one) => ('put' in one ? one.put.pk : one.delete))
      return { count: keys.length, content: keys, transfer: [] }
    },
    finish: () => [{ count: 0, content: options, transfer: [] }],
  }
}

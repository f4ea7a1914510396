import type { ObjectType } from '../../src/ontology/ontology.ts'
import type { ChangeEncoder } from '../../src/store/object-store.ts'

/** Encodes changes as their keys. Ends the thread for the type `ending`, and fails for `failing`. */
export function createEncoder({ apiName }: ObjectType, options: unknown): ChangeEncoder {
  if (apiName === 'ending') process.exit()
  if (apiName === 'failing') throw new Error('the encoder failed')
  return {
    encode: (changes) => ({
      count: changes.length,
      content: changes.map((change) => ('put' in change ? change.put.pk : change.delete)),
      transfer: [],
    }),
    finish: () => [{ count: 0, content: options, transfer: [] }],
  }
}

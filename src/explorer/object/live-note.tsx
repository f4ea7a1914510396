import { nameOfProperty, type ObjectTypeDefinition } from '../api/ontology.ts'

export interface LiveNoteProps {
  readonly objectType: ObjectTypeDefinition
  /** True if the values are the last known ones of an object that has been deleted. */
  readonly isDeleted: boolean
  /** The properties that have just changed. */
  readonly changed: ReadonlySet<string>
}

/** Says what happened to an object while it was open. Changed values are marked where they are. */
export function LiveNote({ objectType, isDeleted, changed }: LiveNoteProps) {
  const names = [...changed].map((name) => nameOfProperty(name, objectType.properties[name]))
  return (
    // The region is there before it has something to say: others are not read out.
    <span role="status" className="text-danger text-base font-medium">
      {isDeleted && <span title="These are the last known values.">was deleted</span>}
      {names.length > 0 && <span className="sr-only">Changed: {names.join(', ')}</span>}
    </span>
  )
}

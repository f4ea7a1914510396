/** One object: its properties, what it links to, what differs, and the JSON as it came. */
import { findType } from '../api/ontology.ts'
import { DefinitionScreen } from '../queries/definition-screen.tsx'
import { ObjectPage } from './object-page.tsx'

export function ObjectScreen() {
  return (
    <DefinitionScreen titleOf={({ key }) => key}>
      {(ontology, { type, key }) => {
        const objectType = findType(ontology, type)
        if (objectType === undefined) return `There is no object type “${type}”.`
        return (
          <ObjectPage key={`${objectType.rid} ${key}`} address={{ ontology, objectType, key }} />
        )
      }}
    </DefinitionScreen>
  )
}

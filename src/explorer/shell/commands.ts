/** The entries of the command palette: objects, types, properties, saved views and actions. */

import { screenPath } from '../api/base-path.ts'
import { nameOf, nameOfProperty, type OntologyDefinition } from '../api/ontology.ts'
import type { FoundObject } from '../queries/find-objects.ts'
import { addressOf, type SavedView } from '../share/saved-views.ts'
import type { Action } from '../ui/actions.tsx'

export interface Command {
  readonly id: string
  readonly name: string
  readonly hint: string
  /** The key of an object. */
  readonly key?: string
  /** An address to go to, or something to do. */
  readonly target: string | (() => void)
}

/** Returns the types and properties of an ontology. */
export function commandsOf(ontology: OntologyDefinition): readonly Command[] {
  const home = screenPath(ontology.apiName)
  const types = ontology.objectTypes.map((type) => ({
    id: `${home}/${type.apiName}`,
    name: nameOf(type),
    hint: nameOf(ontology),
    target: screenPath(ontology.apiName, type.apiName),
  }))
  const properties = ontology.objectTypes.flatMap((type) =>
    Object.entries(type.properties).map(([property, definition]) => ({
      id: `${home}/${type.apiName}?${property}`,
      name: nameOfProperty(property, definition),
      hint: `${nameOf(type)} · ${definition.type}`,
      target: `${screenPath(ontology.apiName, type.apiName)}?view=charts&p=${encodeURIComponent(property)}`,
    })),
  )
  const self = { id: home, name: nameOf(ontology), hint: 'ontology', target: home }
  return [...types, self, ...properties]
}

export function commandsOfViews(ontology: string, views: readonly SavedView[]): readonly Command[] {
  return views.map((view) => ({
    id: `view ${view.id}`,
    name: view.name,
    hint: view.tiles === undefined ? 'saved view' : 'dashboard',
    target: addressOf(ontology, view),
  }))
}

export function commandsOfActions(actions: readonly Action[]): readonly Command[] {
  const hint = 'action'
  return actions.map(({ name, run }) => ({ id: `action ${name}`, name, hint, target: run }))
}

/** Objects that are exactly what was typed. */
const EXACT_RANK = 1

interface ObjectCommand extends Command {
  readonly rank: number
}

/** Returns the commands that open objects, the best matches of all types first. */
export function commandsOfObjects(found: readonly FoundObject[]): readonly ObjectCommand[] {
  return found
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ ontology, objectType, key, title, rank }) => ({
      id: `${objectType.rid} ${key}`,
      name: title,
      ...(title !== key && { key }),
      hint: nameOf(objectType),
      target: screenPath(ontology.apiName, objectType.apiName, key),
      rank,
    }))
}

const MOST_OBJECTS = 20
const MOST_BESIDE_OBJECTS = 5

/** Objects that are exactly what was typed come first; other objects follow the other commands. */
export function mergeCommands(
  commands: readonly Command[],
  objects: readonly ObjectCommand[],
): readonly Command[] {
  if (objects.length === 0) return commands
  const shown = objects.slice(0, MOST_OBJECTS)
  const isExact = ({ rank }: ObjectCommand) => rank <= EXACT_RANK
  return [
    ...shown.filter(isExact),
    ...commands.slice(0, MOST_BESIDE_OBJECTS),
    ...shown.filter((object) => !isExact(object)),
  ]
}

/** Returns the commands that have all words of a text; those that start with it come first. */
export function findCommands(
  commands: readonly Command[],
  text: string,
  most: number,
): readonly Command[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const matches = commands.filter(({ name, hint }) => {
    const searched = `${name} ${hint}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const rank = ({ name }: Command) => (name.toLowerCase().startsWith(wanted) ? 0 : 1)
  return matches.toSorted((a, b) => rank(a) - rank(b)).slice(0, most)
}

import type { Catalogue } from '../../ontology/catalogue.ts'

type Names = readonly string[] | undefined

/**
 * Returns the ontologies that two lists have in common; undefined stands for all. One list may name
 * an ontology by its RID and the other by its API name, so names are resolved. Names that do not
 * exist yet must be equal.
 */
export function intersectOntologies(a: Names, b: Names, catalogue: Catalogue): Names {
  if (a === undefined || b === undefined) return a ?? b
  const isIn = (name: string, list: readonly string[]) => {
    const ontology = catalogue.index.find(name)
    const names = ontology === undefined ? [name] : [name, ontology.rid, ontology.apiName]
    return names.some((one) => list.includes(one))
  }
  return a.filter((name) => isIn(name, b))
}

/** Queries on the objects of a type through revision 2.0, which has no retrieval limit. */

import { readPage } from '../endpoints/endpoint-group.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { ObjectRecord } from '../endpoints/pages.ts'
import type { KeyOf, Names, ObjectTypeShape, OntologyShape } from '../types/property-types.ts'
import { propertiesOf } from './object-query.ts'
import { familyPageRequest } from './page-requests.ts'
import { type OnExpired, type QuerySource, QueryWalk } from './query-walk.ts'

export class FamilyQuery<Type extends ObjectTypeShape, Item = Type['object']> extends QueryWalk<
  Type,
  Item,
  'family'
> {
  declare protected readonly source: FamilySource

  /** Returns the object with this key; conditions do not apply. Throws `ObjectNotFound`. */
  async get(key: KeyOf<Type>): Promise<Item> {
    return (await this.source.readObject(String(key), this.spec)).properties as Item
  }
}

interface FamilySource extends QuerySource<ObjectRecord> {
  readonly readObject: (
    key: string,
    call: { readonly signal?: AbortSignal | undefined },
  ) => Promise<ObjectRecord>
}

/** A family: an ontology as revision 2.0 names it. */
export class Family<Ontology extends OntologyShape<Ontology>> {
  readonly #endpoints: Endpoints
  readonly #family: string
  readonly #onExpired: OnExpired

  constructor(endpoints: Endpoints, family: string, onExpired: OnExpired) {
    this.#endpoints = endpoints
    this.#family = family
    this.#onExpired = onExpired
  }

  objects<Name extends Names<Ontology>>(name: Name): FamilyQuery<Ontology[Name]> {
    const { connection, revision2 } = this.#endpoints
    const family = this.#family
    const source: FamilySource = {
      toObject: propertiesOf,
      readObject: (key, call) => revision2.getObject(family, key, { objectType: name }, call),
      readPage: ({ conditions, signal }, paging) => {
        const request = familyPageRequest({ family, objectType: name }, conditions, paging)
        return readPage(connection, { ...request, signal })
      },
    }
    return new FamilyQuery(source, {
      conditions: [],
      order: [],
      select: undefined,
      onExpired: this.#onExpired,
    })
  }
}

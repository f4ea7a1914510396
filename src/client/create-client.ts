/** The client of an object query service. */
import type { CallOptions, ConnectionOptions, IdempotentCallOptions } from './connection.ts'
import type { DefinitionOptions } from './endpoints/definition-change.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import type { ActionResult } from './endpoints/object-sets.ts'
import { ObjectEditor } from './object-editor.ts'
import { Family } from './query/family-query.ts'
import { LinkedQuery, linkedSource, ObjectQuery, searchSource } from './query/object-query.ts'
import {
  type LinkedType,
  type LinkName,
  ObjectSetQuery,
  objectSetSource,
} from './query/object-set-query.ts'
import type { OnExpired, QuerySpec } from './query/query-walk.ts'
import type { KeyOf, Names, OntologyShape, UntypedOntology } from './types/property-types.ts'

export interface ClientOptions extends ConnectionOptions {
  /** API name or RID of the ontology. */
  readonly ontology: string
  /** What walks do when a page token is too old; `throw` unless a query says otherwise. */
  readonly onExpired?: OnExpired | undefined
}

/** Creates a client. The type parameter is an ontology that `oqs ontology types` has generated. */
export function createClient<Ontology extends OntologyShape<Ontology> = UntypedOntology>(
  options: ClientOptions,
): Client<Ontology> {
  return new Client(options)
}

export class Client<Ontology extends OntologyShape<Ontology> = UntypedOntology> {
  /** Every endpoint, with requests and responses as on the wire. */
  readonly endpoints: Endpoints
  readonly ontology: string
  readonly #onExpired: OnExpired

  constructor({ ontology, onExpired = 'throw', ...connection }: ClientOptions) {
    this.endpoints = new Endpoints(connection)
    this.ontology = ontology
    this.#onExpired = onExpired
  }

  /** Queries the objects of a type through revision 1.0. */
  objects<Name extends Names<Ontology>>(name: Name): ObjectQuery<Ontology[Name]> {
    return new ObjectQuery(searchSource(this.endpoints, this.#type(name)), this.#spec())
  }

  /** Queries the objects that a link leads to from one object, through revision 1.0. */
  linked<Name extends Names<Ontology>, Link extends LinkName<Ontology[Name]>>(
    name: Name,
    key: KeyOf<Ontology[Name]>,
    link: Link,
  ): LinkedQuery<LinkedType<Ontology, Ontology[Name], Link>> {
    const path = { ...this.#type(name), primaryKey: String(key), linkType: link }
    return new LinkedQuery(linkedSource(this.endpoints, path), this.#spec())
  }

  /** Queries objects through revision 2.0, where a family names the ontology. */
  family(family: string): Family<Ontology> {
    return new Family(this.endpoints, family, this.#onExpired)
  }

  /** Queries the objects of a type through v2, as an object set. */
  objectSet<Name extends Names<Ontology>>(name: Name): ObjectSetQuery<Ontology, Ontology[Name]> {
    const objectSet = { type: 'base', objectType: name }
    const source = objectSetSource(this.endpoints, this.ontology, objectSet)
    return new ObjectSetQuery(source, this.#spec())
  }

  /** Writes the objects of a type. */
  edit<Name extends Names<Ontology>>(name: Name): ObjectEditor<Ontology[Name]> {
    return new ObjectEditor(this.endpoints, this.#type(name))
  }

  /** Applies an action once, even if the request must be repeated; throws if it is not applied. */
  applyAction(
    action: string,
    parameters: Readonly<Record<string, unknown>>,
    call: IdempotentCallOptions = {},
  ): Promise<ActionResult> {
    return this.endpoints.objectSets.applyAction(this.ontology, action, { parameters }, call)
  }

  /** Returns the definition of the ontology. */
  getDefinition(call: CallOptions = {}): Promise<unknown> {
    return this.endpoints.administration.getDefinition(this.ontology, call)
  }

  /** Creates or changes the ontology; applying the same definition again changes nothing. */
  applyDefinition(definition: unknown, options: DefinitionOptions = {}): Promise<unknown> {
    return this.endpoints.administration.applyDefinition(this.ontology, definition, options)
  }

  #type(objectType: string) {
    return { ontology: this.ontology, objectType }
  }

  #spec(): QuerySpec {
    return { conditions: [], order: [], select: undefined, onExpired: this.#onExpired }
  }
}

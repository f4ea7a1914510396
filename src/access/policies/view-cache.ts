/**
 * The views of callers whose rights are limited by policies. Policies are read for every request,
 * including every page; the resulting views are kept for callers with the same rights, together with
 * the definitions that they belong to.
 */
import { LRUCache } from 'lru-cache'
import { TurnQueue } from '../../admission/turn-queue.ts'
import { Catalogue, type OntologyEntry } from '../../ontology/catalogue.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { OntologyCache } from '../../ontology/ontology-cache.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import type { Documents, FoundDocuments, StoredDocument } from '../../store/object-store.ts'
import type { Caller, CallerRights } from '../caller-rights.ts'
import type { Viewer } from '../find-visible.ts'
import { ReadOnlyTypes } from '../ruled-objects.ts'
import { namesAsClaims } from './claims.ts'
import { type Claims, claimNames, type Policy, type PolicyBody } from './policy.ts'
import {
  type CallerView,
  nameOntology,
  type PolicyLists,
  viewId,
  viewOntology,
  viewWithClaims,
} from './view-ontology.ts'

/** The bytes of policies, as JSON text, that are kept for later requests. */
const KNOWN_POLICIES_BYTES = 4 * 1024 * 1024

/** Names of policies, one list for each credential of a caller. */
type PolicyNames = NonNullable<CallerRights['policies']>

export interface ReadPolicies {
  readonly lists: PolicyLists
  /** See `FoundDocuments`. */
  readonly generation: number | undefined
}

export interface CallerViewsOptions {
  readonly documents: Pick<Documents, 'findAll'>
  /** The definitions, and the views of them. */
  readonly definitions: OntologyCache<CallerView>
  readonly limits: QueryLimits
  /** Claims of an OpenID provider that rules can use, besides those of every caller. */
  readonly providerClaims: readonly string[]
  /** The clock, in milliseconds. */
  readonly now: () => number
}

export class CallerViews {
  /** The claims that rules can use. */
  readonly claimNames: readonly string[]
  readonly #namesAsClaims: Claims
  readonly #options: CallerViewsOptions
  /** Views are made one after the other, so that other requests wait for one at most. */
  readonly #turns = new TurnQueue()
  readonly #readOnly = new ReadOnlyTypes()
  readonly #known = new LRUCache<string, ReadPolicies>({
    maxSize: KNOWN_POLICIES_BYTES,
    sizeCalculation: ({ lists }, key) => JSON.stringify(lists).length + key.length + 500,
  })
  /** Parsed policies by the result of the store, which SQLite returns again until a commit. */
  readonly #unchanged = new WeakMap<FoundDocuments, { key: string; read: ReadPolicies }>()
  /** The view that was last needed of policies: most callers use one ontology at a time. */
  readonly #lastIds = new WeakMap<ReadPolicies, { rid: string; claims: string; id: string }>()

  constructor(options: CallerViewsOptions) {
    this.#options = options
    this.claimNames = claimNames(options.providerClaims)
    this.#namesAsClaims = namesAsClaims(this.claimNames)
  }

  /** Returns the policies with these names. Unknown ones are left out: they allow nothing. */
  async read(names: PolicyNames): Promise<ReadPolicies> {
    const { documents, now } = this.#options
    const found = await documents.findAll('policy', [...new Set(names.flat())], now())
    const key = JSON.stringify(names)
    const unchanged = this.#unchanged.get(found)
    if (unchanged?.key === key) return unchanged.read
    const byName = new Map(found.documents.map((document) => [document.id, toPolicy(document)]))
    const lists = names.map((list) => [...new Set(list)].flatMap((name) => byName.get(name) ?? []))
    const read = { lists, generation: found.generation }
    this.#unchanged.set(found, { key, read })
    if (read.generation !== undefined) this.#known.set(key, read)
    // Otherwise every page would take the deleted policies from here, and start again.
    else this.#known.delete(key)
    return read
  }

  /**
   * Returns the policies that were last read, if they were read in this generation, or in any if it
   * is undefined. The page of the request must verify the generation.
   */
  cached(names: PolicyNames, generation: number | undefined): ReadPolicies | undefined {
    const known = this.#known.get(JSON.stringify(names))
    return generation === undefined || known?.generation === generation ? known : undefined
  }

  /**
   * Limits a caller, and the ontologies of the catalogue, to what its policies allow. Views of large
   * ontologies take some memory, so they are made only of those that a request is about.
   */
  async limit({ caller, catalogue }: Viewer, policies: ReadPolicies): Promise<Viewer> {
    const seen: { readonly of: Ontology; readonly view: CallerView }[] = []
    for (const of of catalogue.ontologies) {
      seen.push({ of, view: await this.#view(of, caller, policies) })
    }
    const visible = seen.flatMap(({ view }) => view.ontology ?? [])
    const hidden = seen.filter(({ view }) => view.ontology === undefined).map(({ of }) => of)
    const { generation, index } = catalogue
    return {
      caller: limitedCaller(caller, seen),
      catalogue: new Catalogue(generation, visible, index, hidden),
    }
  }

  /** Whether policies can show an ontology to a caller. Depends on its definition, too. */
  mayShow(entry: OntologyEntry, { lists }: ReadPolicies): boolean {
    return nameOntology(lists, entry)
  }

  async #view(ontology: Ontology, caller: Caller, policies: ReadPolicies): Promise<CallerView> {
    const { definitions, limits } = this.#options
    const { lists } = policies
    const claims = claimsOf(caller)
    const id = this.#viewId(ontology, policies, claims)
    const known = definitions.findView(ontology, id)
    if (known !== undefined) return known
    const viewAs = (own: Claims) =>
      viewOntology(ontology, lists, { claims: own, limits }, this.#readOnly)
    const templateId = viewId(lists, ontology, this.#namesAsClaims)
    if (id === templateId) return this.#make(ontology, id, caller, () => viewAs(claims))
    const template =
      definitions.findView(ontology, templateId) ??
      (await this.#make(ontology, templateId, caller, () => viewAs(this.#namesAsClaims)))
    const makeOwn = () =>
      viewWithClaims(template, ontology, lists, { claims, limits }) ?? viewAs(claims)
    return this.#make(ontology, id, caller, makeOwn, templateId)
  }

  /** Makes a view, and keeps it as long as the one that it shares parts with. */
  async #make(
    ontology: Ontology,
    id: string,
    caller: Caller,
    make: () => CallerView,
    sharesWith?: string,
  ): Promise<CallerView> {
    const { definitions } = this.#options
    // A view of a large ontology takes milliseconds, and many callers can need theirs at once.
    await this.#turns.next()
    const meanwhile = definitions.findView(ontology, id)
    if (meanwhile !== undefined) return meanwhile
    const view = make()
    const share = { bytes: view.bytes, callerId: caller.id, sharesWith }
    definitions.addView(ontology, id, view, share)
    return view
  }

  #viewId(ontology: Ontology, policies: ReadPolicies, claims: Claims): string {
    const { rid, apiName } = ontology
    const text = `${apiName} ${JSON.stringify(claims)}`
    const last = this.#lastIds.get(policies)
    if (last?.rid === rid && last.claims === text) return last.id
    const id = viewId(policies.lists, ontology, claims)
    this.#lastIds.set(policies, { rid, claims: text, id })
    return id
  }
}

export function toPolicy({ id, body }: StoredDocument): Policy {
  return { name: id, ...(body as PolicyBody) }
}

function limitedCaller(
  caller: Caller,
  seen: readonly { readonly of: Ontology; readonly view: CallerView }[],
): Caller {
  const visible = seen
    .filter(({ of, view }) => view.ontology !== undefined && caller.maySee(of))
    .map(({ of }) => of.rid)
  const administered = seen.filter(({ view }) => view.canAdminister).map(({ of }) => of.rid)
  return {
    ...caller,
    ontologies: visible,
    maySee: ({ rid }) => visible.includes(rid),
    mayAdminister: ({ rid }) => administered.includes(rid),
  }
}

function claimsOf({ id, name, userId, profile, claims }: Caller): Claims {
  return { name, subject: userId ?? id, email: profile?.email, ...claims }
}

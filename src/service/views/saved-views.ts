/**
 * Saved views: addresses under a name, for their owner or for everyone who can see the object type. A
 * view that a caller cannot see does not exist for it. Views contain no objects: whoever opens one
 * sees what its own token allows.
 */
import { isAdministrator, ownerOf, refuseLink } from '../../access/caller-rights.ts'
import type { Viewer } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  OWN_VIEWS_MAX,
  SAVED_VIEWS_MAX,
  type SavedView,
  type SavedViewBody,
  savedViewPrefix,
} from '../../contract/saved-view.ts'
import { findObjectType } from '../../ontology/catalogue.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { IdempotencyNote, StoredDocument } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'

/** A caller, and an ontology as it sees it. */
export interface ViewsOf extends Pick<Viewer, 'caller'> {
  readonly ontology: Ontology
}

type ViewServices = Pick<ServiceParts, 'store' | 'now'>

interface StoredView extends Omit<SavedView, 'id' | 'owner' | 'mayChange' | 'changedAt'> {
  readonly owner: { readonly id: string; readonly name: string }
  readonly changedAtMs: number
}

/** What guards a write of a view. */
export interface ViewGuards {
  /** Throws if the write depends on another state of the view. */
  readonly check: (stored: SavedView) => void
  /** Returns the key of the request, with the response that is recorded. */
  readonly record: (response: SavedView) => Promise<IdempotencyNote | undefined>
}

/** Returns the views that a caller sees, by name; those of all owners only for an administrator. */
export async function listViews(
  of: ViewsOf,
  services: ViewServices,
  { includesAll }: { readonly includesAll: boolean },
): Promise<readonly SavedView[]> {
  const documents = await readDocuments(of, services)
  return documents
    .filter((document) => isVisible(document, of, includesAll))
    .map((document) => describe(document, of))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns a view. Throws `SavedViewNotFound`. */
export async function findView(of: ViewsOf, id: string, services: ViewServices) {
  return describe(await findDocument(of, id, services), of)
}

/** Saves a new view, and returns it. Throws `SavedViewsExceededLimit`. */
export async function createView(
  of: ViewsOf,
  id: string,
  body: SavedViewBody,
  { record }: Pick<ViewGuards, 'record'>,
  services: ViewServices,
): Promise<SavedView> {
  refuseLink(of.caller)
  const documents = await readDocuments(of, services)
  const own = documents.filter((document) => isOwn(document, of))
  if (own.length >= OWN_VIEWS_MAX) throw tooMany({ owner: of.caller.name, limit: OWN_VIEWS_MAX })
  if (documents.length >= SAVED_VIEWS_MAX) {
    throw tooMany({ ontology: of.ontology.apiName, limit: SAVED_VIEWS_MAX })
  }
  const document = toDocument(of, id, body, ownerOf(of.caller), services)
  const view = describe(document, of)
  const idempotencyKey = await record(view)
  await services.store.documents.put(document, undefined, { expected: null, idempotencyKey })
  return view
}

/** Replaces a view, which keeps its owner. Throws `SavedViewNotFound` or `ApiUsageDenied`. */
export async function replaceView(
  of: ViewsOf,
  id: string,
  body: SavedViewBody,
  { check, record }: ViewGuards,
  services: ViewServices,
): Promise<SavedView> {
  for (;;) {
    const expected = await findWritable(of, id, check, services)
    const document = toDocument(of, id, body, bodyOf(expected).owner, services)
    const view = describe(document, of)
    const guard = { expected, idempotencyKey: await record(view) }
    // False if the view has changed since it was read; the check is then repeated.
    if (await services.store.documents.put(document, undefined, guard)) return view
  }
}

/** Deletes a view, and returns it. Throws `SavedViewNotFound` or `ApiUsageDenied`. */
export async function deleteView(
  of: ViewsOf,
  id: string,
  { check, record }: ViewGuards,
  services: ViewServices,
): Promise<SavedView> {
  for (;;) {
    const expected = await findWritable(of, id, check, services)
    const view = describe(expected, of)
    const guard = { expected, idempotencyKey: await record(view) }
    if (await services.store.documents.delete('savedView', expected.id, guard)) return view
  }
}

async function findWritable(
  of: ViewsOf,
  id: string,
  check: ViewGuards['check'],
  services: ViewServices,
): Promise<StoredDocument> {
  refuseLink(of.caller)
  const document = await findDocument(of, id, services)
  const view = describe(document, of)
  if (!view.mayChange) {
    const reason = `only ${view.owner}, who saved the view, and administrators can change it`
    throw new ObjectQueryError('ApiUsageDenied', { view: id, reason })
  }
  check(view)
  return document
}

function readDocuments({ ontology }: ViewsOf, { store, now }: ViewServices) {
  return store.documents.list('savedView', now(), savedViewPrefix(ontology.rid))
}

async function findDocument(
  of: ViewsOf,
  id: string,
  { store, now }: ViewServices,
): Promise<StoredDocument> {
  const document = await store.documents.find('savedView', documentId(of, id), now())
  if (document === undefined || !isVisible(document, of, true)) {
    throw new ObjectQueryError('SavedViewNotFound', { view: id })
  }
  return document
}

function documentId({ ontology }: Pick<ViewsOf, 'ontology'>, id: string): string {
  return savedViewPrefix(ontology.rid) + id
}

function toDocument(
  of: ViewsOf,
  id: string,
  { name, description, address, shared, tiles }: SavedViewBody,
  owner: StoredView['owner'],
  { now }: ViewServices,
): StoredDocument {
  findObjectType(of.ontology, objectTypeOf(address))
  const body: StoredView = {
    name: name.trim(),
    ...(description && { description }),
    address,
    shared: shared ?? false,
    ...(tiles && { tiles }),
    owner,
    changedAtMs: now(),
  }
  return { kind: 'savedView', id: documentId(of, id), body, expiresAtMs: undefined }
}

function bodyOf({ body }: StoredDocument): StoredView {
  return body as StoredView
}

function isOwn(document: StoredDocument, { caller }: ViewsOf): boolean {
  return bodyOf(document).owner.id === ownerOf(caller).id
}

/** Whether a caller sees a view: its own ones, and those of types that it sees. */
function isVisible(document: StoredDocument, of: ViewsOf, includesAll: boolean): boolean {
  const { shared, address } = bodyOf(document)
  if (isOwn(document, of)) return true
  const isShown = shared || (includesAll && isAdministrator(of.caller))
  return isShown && of.ontology.objectTypes.has(objectTypeOf(address))
}

function describe(document: StoredDocument, of: ViewsOf): SavedView {
  const { owner, changedAtMs, ...view } = bodyOf(document)
  return {
    id: document.id.slice(savedViewPrefix(of.ontology.rid).length),
    ...view,
    owner: owner.name,
    mayChange: isOwn(document, of) || isAdministrator(of.caller),
    changedAt: new Date(changedAtMs).toISOString(),
  }
}

/** Returns the object type that an address begins with. */
function objectTypeOf(address: string): string {
  return /^\/([^/?]*)/.exec(address)?.[1] ?? ''
}

function tooMany(parameters: Readonly<Record<string, string | number>>): ObjectQueryError {
  return new ObjectQueryError('SavedViewsExceededLimit', parameters)
}

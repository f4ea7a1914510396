/** A tool: what an agent reads about it, and what it does. */
import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { viewOf } from '../../access/authenticate.ts'
import { type ResolvedType, resolveObjectType, resolveOntology } from '../../access/find-visible.ts'
import { closed, text } from '../../contract/schema-parts.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { Services } from '../services.ts'

/** The request that calls a tool, and what the tool works with. */
export interface ToolCall {
  readonly request: FastifyRequest
  readonly services: Services
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TObject
  /** What arguments are checked by, if the input describes them in fewer words. */
  readonly strict: TObject
  readonly run: (args: never, call: ToolCall) => Promise<object>
}

/** Describes a tool, whose arguments are typed by their schema. */
export function tool<Input extends TProperties>(
  spec: Omit<Tool, 'input' | 'strict' | 'run'> & {
    readonly input: Input
    /** Replace members of the input when arguments are checked. */
    readonly strict?: TProperties
    readonly run: (args: Static<TObject<Input>>, call: ToolCall) => Promise<object>
  },
): Tool {
  const [input, strict] = [spec.input, { ...spec.input, ...spec.strict }].map(
    (members) => Type.Object(members, closed) as TObject,
  ) as [TObject, TObject]
  return { ...spec, input, strict }
}

export const typeArguments = {
  ontology: text('API name of the ontology, from list_types.'),
  objectType: text('API name of the object type, from list_types.'),
}

/**
 * Returns an ontology as the caller sees it. From here on, the request has the rights of its caller in
 * this ontology, as if its path had named it.
 */
export async function openOntology(
  { request, services }: ToolCall,
  ontology: string,
): Promise<Ontology> {
  const view = await viewOf({ ontology }, request, services)
  request.caller = view.caller
  request.catalogue = view.catalogue
  request.context.noteAudit({ namedType: { ontology, objectType: '' } })
  return resolveOntology(view.catalogue, view.caller, ontology)
}

/** Returns an object type as the caller sees it. */
export async function openType(
  call: ToolCall,
  names: { readonly ontology: string; readonly objectType: string },
): Promise<ResolvedType> {
  const ontology = await openOntology(call, names.ontology)
  const { objectType } = resolveObjectType(ontology, names.objectType)
  call.request.context.noteAudit({ namedType: names })
  return { ontology, objectType }
}

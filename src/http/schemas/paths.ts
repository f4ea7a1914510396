/** The path parameters of the endpoints. */
import { Type } from 'typebox'
import { PolicyName } from '../../access/policies/policy.ts'
import { text } from '../../contract/schema-parts.ts'

/** The name that `startReplacement` returned. */
export const ReplacementName = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'The name that `startReplacement` returned.',
})

const PARAMETERS = {
  ontology: text('RID or API name of the ontology.'),
  apiFamily: text('An API family of the ontology.'),
  objectType: text('API name of the object type.'),
  interfaceType: text('API name of the interface type.'),
  valueType: text('API name of the value type.'),
  interfaceLinkType: text('API name of the link type of the interface.'),
  primaryKey: text('Primary key of the object, as text.'),
  linkType: text('API name of the link type.'),
  linkedObjectPrimaryKey: text('Primary key of the linked object, as text.'),
  replacement: ReplacementName,
  actionType: text('API name of the action type: `create-T`, `modify-T` or `delete-T`.'),
  actionTypeRid: text('RID of the action type.'),
  objectSetRid: text('RID of the object set.'),
  policy: PolicyName,
  source: Type.String({
    pattern: '^[A-Za-z0-9._-]{1,200}$',
    description: 'A name of your choice for the database whose transactions are applied.',
  }),
  id: text('The id that was returned when it was created.'),
  view: text('The id of the saved view.'),
  ticket: text('From the path that `createDownload` returned.'),
}

type Parameter = keyof typeof PARAMETERS

/** The values of all parameters that there are. */
export type AnyPathNames = Readonly<Record<Parameter, string>>

/** The values of the parameters of a route; of all that there are if its path is not a literal. */
export type PathNames<Route extends string> = Route extends `${string} ${infer Path}`
  ? `/${string}` extends Path
    ? AnyPathNames
    : Readonly<Record<ParameterOf<Path>, string>>
  : never

type ParameterOf<Route extends string> = Route extends `${string}/:${infer Rest}`
  ? (Rest extends `${infer Name}/${string}` ? Name : Rest) | ParameterOf<Rest>
  : never

/** Returns the schema of the parameters of a path, if it has any. */
export function pathSchema(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as Parameter)
  if (names.length === 0) return {}
  return { params: Type.Object(Object.fromEntries(names.map((name) => [name, PARAMETERS[name]]))) }
}

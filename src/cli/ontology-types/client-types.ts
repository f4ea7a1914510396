/** Writes the types of an ontology for `createClient` of `object-query-service/client`. */
import { docComment, Identifiers, literal, memberName } from './identifiers.ts'
import type { ObjectTypeModel, OntologyModel } from './model-of-metadata.ts'
import type { TypeModel } from './types-model.ts'

/** The value of each scalar type; names in upper case are imported from the client. */
const VALUES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  byte: 'number',
  short: 'number',
  integer: 'number',
  long: 'string',
  float: 'Double',
  double: 'Double',
  decimal: 'string',
  date: 'string',
  timestamp: 'string',
  geopoint: 'GeoPoint',
  geoshape: 'GeoShape',
  attachment: 'Attachment',
  marking: 'string',
}

const IMPORTED = ['Attachment', 'Double', 'GeoPoint', 'GeoShape']

export function writeClientTypes(model: OntologyModel): string {
  const { objectTypes } = model
  const identifiers = new Identifiers(IMPORTED)
  const ontology = identifiers.typeName(model.apiName)
  const named = objectTypes.map((type) => ({ type, name: identifiers.typeName(type.apiName) }))
  const interfaces = named.map(({ type, name }) => writeObject(type, name)).join('\n')
  const used = IMPORTED.filter((name) => new RegExp(`\\b${name}\\b`).test(valuesOf(objectTypes)))
  const imports =
    used.length === 0
      ? ''
      : `import type { ${used.join(', ')} } from 'object-query-service/client'\n\n`
  const about = `The ontology ${model.apiName}, for \`createClient<${ontology}>(…)\`.`
  const members = named.map(({ type, name }) => writeShape(type, name)).join('')
  return [
    '// Written by `oqs ontology types`. Changes are lost when it runs again.\n',
    imports,
    interfaces,
    interfaces === '' ? '' : '\n',
    docComment([about, model.description]),
    `export interface ${ontology} {\n${members}}\n`,
  ].join('')
}

function writeObject(type: ObjectTypeModel, name: string): string {
  const members = type.properties.map((property) => {
    const { apiName, displayName, description } = property
    const optional = apiName === type.primaryKey ? '' : '?'
    const value = tsValue(property.type)
    return (
      docComment([displayName, description], '  ') +
      `  readonly ${memberName(apiName)}${optional}: ${value}\n`
    )
  })
  const about = type.displayName === type.apiName ? undefined : type.displayName
  return `${docComment([about, type.description])}export interface ${name} {\n${members.join('')}}\n`
}

function writeShape(type: ObjectTypeModel, name: string): string {
  const types = type.properties.map(
    (property) => `      readonly ${memberName(property.apiName)}: ${tagOf(property.type)}\n`,
  )
  const links = type.links.map(
    ({ apiName, target }) => `      readonly ${memberName(apiName)}: ${literal(target)}\n`,
  )
  return [
    `  readonly ${memberName(type.apiName)}: {\n`,
    `    readonly object: ${name}\n`,
    `    readonly primaryKey: ${literal(type.primaryKey)}\n`,
    `    readonly types: {\n${types.join('')}    }\n`,
    links.length === 0
      ? '    readonly links: {}\n'
      : `    readonly links: {\n${links.join('')}    }\n`,
    '  }\n',
  ].join('')
}

/** The value of a property in TypeScript. */
function tsValue(type: TypeModel): string {
  switch (type.kind) {
    case 'scalar':
      return VALUES[type.type] ?? 'unknown'
    case 'array':
      return `readonly ${tsValue(type.items)}[]`
    case 'struct':
      return `{ ${type.fields
        .map((field) => `readonly ${memberName(field.apiName)}?: ${tsValue(field.type)}`)
        .join('; ')} }`
  }
}

/** The type of a property, from which the client derives its operators. */
function tagOf(type: TypeModel): string {
  switch (type.kind) {
    case 'scalar':
      return literal(type.type)
    case 'array':
      return `readonly [${tagOf(type.items)}]`
    case 'struct':
      return `{ ${type.fields
        .map((field) => `readonly ${memberName(field.apiName)}: ${tagOf(field.type)}`)
        .join('; ')} }`
  }
}

function valuesOf(objectTypes: readonly ObjectTypeModel[]): string {
  return objectTypes
    .flatMap(({ properties }) => properties.map(({ type }) => tsValue(type)))
    .join('\n')
}

/** Writes the types of an ontology for `createClient` of `@object-query-service/client`. */
import { Identifiers, literal, memberName } from '../../contract/typescript-names.ts'
import { docComment, type TypeSyntax, writeType } from './code-parts.ts'
import {
  byApiName,
  type FullMetadata,
  type FullObjectType,
  sortedEntries,
} from './full-metadata.ts'

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

/** The value of a property in TypeScript. */
const VALUE: TypeSyntax = {
  scalar: (type) => VALUES[type] ?? 'unknown',
  array: (items) => `readonly ${items}[]`,
  member: (name, value) => `readonly ${name}?: ${value}`,
}

/** The type of a property, from which the client derives its operators. */
const TAG: TypeSyntax = {
  scalar: literal,
  array: (items) => `readonly [${items}]`,
  member: (name, value) => `readonly ${name}: ${value}`,
}

export function writeClientTypes({ ontology: { apiName, description }, ...all }: FullMetadata) {
  const identifiers = new Identifiers(IMPORTED)
  const ontology = identifiers.typeName(apiName)
  const named = sortedEntries(all.objectTypes).map((type) => {
    return { ...type, name: identifiers.typeName(type.apiName) }
  })
  const interfaces = named.map(({ objectType, name }) => writeObject(objectType, name)).join('\n')
  const values = named
    .flatMap(({ objectType }) => sortedEntries(objectType.properties))
    .map(({ dataType }) => writeType(dataType, VALUE))
    .join('\n')
  const used = IMPORTED.filter((name) => new RegExp(`\\b${name}\\b`).test(values))
  const imports =
    used.length === 0
      ? ''
      : `import type { ${used.join(', ')} } from '@object-query-service/client'\n\n`
  const about = `The ontology ${apiName}, for \`createClient<${ontology}>(…)\`.`
  return [
    '// Written by `oqs ontology types`. Changes are lost when it runs again.\n',
    imports,
    interfaces,
    interfaces === '' ? '' : '\n',
    docComment([about, description]),
    `export interface ${ontology} {\n${named.map(writeShape).join('')}}\n`,
  ].join('')
}

function writeObject(type: FullObjectType['objectType'], name: string): string {
  const members = sortedEntries(type.properties).map((property) => {
    const { apiName, displayName, description, dataConstraints } = property
    const isPresent = apiName === type.primaryKey || dataConstraints?.nullability !== undefined
    const optional = isPresent ? '' : '?'
    const value = writeType(property.dataType, VALUE)
    return (
      docComment([displayName, description], '  ') +
      `  readonly ${memberName(apiName)}${optional}: ${value}\n`
    )
  })
  const about = type.displayName === type.apiName ? undefined : type.displayName
  return `${docComment([about, type.description])}export interface ${name} {\n${members.join('')}}\n`
}

function writeShape({ objectType, linkTypes, name }: FullObjectType & { readonly name: string }) {
  const member = (apiName: string, value: string) =>
    `      readonly ${memberName(apiName)}: ${value}\n`
  const types = sortedEntries(objectType.properties).map(({ apiName, dataType }) =>
    member(apiName, writeType(dataType, TAG)),
  )
  const links = linkTypes
    .toSorted(byApiName)
    .map(({ apiName, objectTypeApiName }) => member(apiName, literal(objectTypeApiName)))
  return [
    `  readonly ${memberName(objectType.apiName)}: {\n`,
    `    readonly object: ${name}\n`,
    `    readonly primaryKey: ${literal(objectType.primaryKey)}\n`,
    `    readonly types: {\n${types.join('')}    }\n`,
    links.length === 0
      ? '    readonly links: {}\n'
      : `    readonly links: {\n${links.join('')}    }\n`,
    '  }\n',
  ].join('')
}

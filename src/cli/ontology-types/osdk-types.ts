/** Writes the definitions that `@osdk/client` takes: a constant and its types for each type. */
import { docComment, Identifiers, literal, memberName } from './identifiers.ts'
import type {
  InterfaceModel,
  LinkModel,
  ObjectTypeModel,
  OntologyModel,
  PropertyModel,
} from './model-of-metadata.ts'
import { writeAction } from './osdk-action.ts'
import {
  indentOf,
  type OsdkNames,
  objectLiteral,
  propertyDefinition,
  propertyValue,
  sdkType,
  textList,
} from './osdk-text.ts'

/** Names that the generated file imports from `@osdk/client`. */
const IMPORTS = [
  'ActionDefinition',
  'ActionMetadata',
  'ActionParam',
  'ActionReturnTypeForOptions',
  'ApplyActionOptions',
  'ApplyBatchActionOptions',
  'InterfaceDefinition',
  'InterfaceMetadata',
  'ObjectMetadata',
  'ObjectSet',
  'ObjectTypeDefinition',
  'Osdk',
  'PropertyDef',
  'PropertyValueWireToClient',
  'SingleLinkAccessor',
]

/** Key types that `@osdk/client` supports. */
const KEY_TYPES = ['string', 'date', 'double', 'integer', 'timestamp', 'short', 'long', 'byte']

export interface OsdkOptions {
  /** The version of this program, which requests name. */
  readonly version: string
}

export function writeOsdkTypes(model: OntologyModel, { version }: OsdkOptions): string {
  const objectTypes = model.objectTypes.filter(hasSupportedKey)
  const omitted = model.objectTypes.filter((type) => !hasSupportedKey(type))
  const names = nameAll(model, objectTypes)
  const body = [
    ...omitted.map(
      ({ apiName }) =>
        `// ${apiName} is omitted: @osdk/client does not support the type of its primary key.\n`,
    ),
    ...objectTypes.map((type) => writeObjectType(type, names)),
    ...model.interfaces.map((type) => writeInterface(type, names)),
    ...model.actions.map((action) => writeAction(action, names)),
  ].join('\n')
  const used = IMPORTS.filter((name) => body.includes(`$${name}`))
  return [
    '// Written by `oqs ontology types --for osdk`. Changes are lost when it runs again.\n',
    used.length === 0
      ? ''
      : `import type {\n${used.map((name) => `  ${name} as $${name},\n`).join('')}} from '@osdk/client'\n\n`,
    docComment([`The RID of the ontology ${model.apiName}.`, model.description]),
    `export const $ontologyRid = ${literal(model.rid)}\n\n`,
    `export const $osdkMetadata = { extraUserAgent: ${literal(`oqs-ontology-types/${version}`)} }\n\n`,
    body,
  ].join('')
}

function hasSupportedKey({ properties, primaryKey }: ObjectTypeModel): boolean {
  const key = properties.find(({ apiName }) => apiName === primaryKey)?.type
  return key?.kind === 'scalar' && KEY_TYPES.includes(key.type)
}

function nameAll(model: OntologyModel, objectTypes: readonly ObjectTypeModel[]): OsdkNames {
  const identifiers = new Identifiers([])
  const nameEach = (types: readonly { readonly apiName: string }[]) =>
    new Map(types.map(({ apiName }) => [apiName, identifiers.constantName(apiName)]))
  return {
    objectTypes: nameEach(objectTypes),
    interfaces: nameEach(model.interfaces),
    actions: nameEach(model.actions),
  }
}

function writeObjectType(type: ObjectTypeModel, names: OsdkNames): string {
  const name = names.objectTypes.get(type.apiName) ?? ''
  const { apiName, primaryKey, icon } = type
  const links = type.links.filter(({ target }) => names.objectTypes.has(target))
  const key = type.properties.find((property) => property.apiName === primaryKey)?.type
  const keyType = key?.kind === 'scalar' ? sdkType(key.type) : ''
  const interfaces = type.interfaces.filter((one) => names.interfaces.has(one.apiName))
  const { rid } = type
  const metadata: [string, string][] = [
    ...compileTimeTypes(name),
    ['apiName', literal(apiName)],
    ['description', optionalLiteral(type.description)],
    ['displayName', literal(type.displayName)],
    [
      'icon',
      objectLiteral([
        ['type', literal('blueprint')],
        ['name', literal(icon.name)],
        ['color', literal(icon.color)],
      ]),
    ],
    ['implements', textList(interfaces.map((one) => one.apiName))],
    ['interfaceMap', interfaceMap(interfaces, (pair) => pair)],
    ['inverseInterfaceMap', interfaceMap(interfaces, ([shared, local]) => [local, shared])],
    ['links', objectLiteral(links.map((link) => objectLink(link, names)))],
    ['pluralDisplayName', literal(type.pluralDisplayName)],
    ['primaryKeyApiName', literal(primaryKey)],
    ['primaryKeyType', literal(keyType)],
    ['properties', propertyDefinitions(type.properties, primaryKey)],
    ['rid', literal(rid)],
    ['status', literal('ACTIVE')],
    ['titleProperty', literal(type.titleProperty)],
    ['type', literal('object')],
    ['visibility', literal('NORMAL')],
  ]
  const definition: [string, string][] = [
    ['type', literal('object')],
    ['apiName', literal(apiName)],
    ['primaryKeyApiName', literal(primaryKey)],
    ['primaryKeyType', literal(keyType)],
  ]
  const about = type.displayName === apiName ? undefined : type.displayName
  return [
    writeNamespace(name, type.properties, links, names, primaryKey),
    docComment([about, type.description]),
    `export interface ${name} extends $ObjectTypeDefinition {\n`,
    '  osdkMetadata: typeof $osdkMetadata\n',
    ...definition.map(([member, value]) => `  ${member}: ${value}\n`),
    `  __DefinitionMetadata?: ${indentOf(objectLiteral(metadata))}\n}\n\n`,
    writeConstant(name, definition, rid),
  ].join('')
}

function writeInterface(type: InterfaceModel, names: OsdkNames): string {
  const name = names.interfaces.get(type.apiName) ?? ''
  const links = type.links.filter(({ target, leadsToInterface }) =>
    (leadsToInterface ? names.interfaces : names.objectTypes).has(target),
  )
  const metadata: [string, string][] = [
    ...compileTimeTypes(name),
    ['apiName', literal(type.apiName)],
    ['description', optionalLiteral(type.description)],
    ['displayName', literal(type.displayName)],
    ['implementedBy', textList(type.implementedBy)],
    ['implements', textList(type.extends)],
    ['links', objectLiteral(links.map((link) => interfaceLink(link, names)))],
    ['properties', propertyDefinitions(type.properties, undefined)],
    ['rid', literal(type.rid)],
    ['type', literal('interface')],
  ]
  const definition: [string, string][] = [
    ['type', literal('interface')],
    ['apiName', literal(type.apiName)],
  ]
  return [
    writeNamespace(name, type.properties, links, names, undefined),
    docComment([type.displayName, type.description]),
    `export interface ${name} extends $InterfaceDefinition {\n`,
    '  osdkMetadata: typeof $osdkMetadata\n',
    ...definition.map(([member, value]) => `  ${member}: ${value}\n`),
    `  __DefinitionMetadata?: ${indentOf(objectLiteral(metadata))}\n}\n\n`,
    writeConstant(name, definition, type.rid),
  ].join('')
}

function compileTimeTypes(name: string): [string, string][] {
  return [
    ['objectSet', `${name}.ObjectSet`],
    ['props', `${name}.Props`],
    ['linksType', `${name}.Links`],
    ['strictProps', `${name}.StrictProps`],
  ]
}

function writeNamespace(
  name: string,
  properties: readonly PropertyModel[],
  links: readonly LinkModel[],
  names: OsdkNames,
  primaryKey: string | undefined,
): string {
  const keys = properties.map(({ apiName }) => literal(apiName)).join(' | ') || 'never'
  const props = properties.map(({ apiName, type, displayName, description }) => {
    const value = propertyValue(type, apiName !== primaryKey)
    return `${docComment([displayName, description], '    ')}    readonly ${memberName(apiName)}: ${value}\n`
  })
  const accessors = links.map((link) => {
    const target = targetOf(link, names)
    const value = link.isMany ? `${target}.ObjectSet` : `$SingleLinkAccessor<${target}>`
    return `    readonly ${memberName(link.apiName)}: ${value}\n`
  })
  return [
    `export namespace ${name} {\n`,
    `  export type PropertyKeys = ${keys}\n\n`,
    accessors.length === 0
      ? '  export type Links = {}\n\n'
      : `  export interface Links {\n${accessors.join('')}  }\n\n`,
    `  export interface Props {\n${props.join('')}  }\n\n`,
    '  export type StrictProps = Props\n\n',
    `  export interface ObjectSet extends $ObjectSet<${name}, ${name}.ObjectSet> {}\n\n`,
    '  export type OsdkInstance<\n',
    "    Options extends never | '$rid' = never,\n",
    `    Keys extends keyof ${name}.Props = keyof ${name}.Props,\n`,
    `  > = $Osdk.Instance<${name}, Options, Keys>\n`,
    '}\n\n',
  ].join('')
}

/** The client reads the RID of a type from the last member. */
function writeConstant(
  name: string,
  definition: readonly (readonly [string, string])[],
  rid: string,
): string {
  return [
    `export const ${name} = {\n`,
    ...definition.map(([member, value]) => `  ${member}: ${value},\n`),
    '  osdkMetadata: $osdkMetadata,\n',
    `  internalDoNotUseMetadata: { rid: ${literal(rid)} },\n`,
    `} satisfies ${name} & { internalDoNotUseMetadata: { rid: string } } as ${name}\n`,
  ].join('')
}

function targetOf({ target, leadsToInterface }: LinkModel, names: OsdkNames): string {
  return (leadsToInterface ? names.interfaces : names.objectTypes).get(target) ?? ''
}

function objectLink(link: LinkModel, names: OsdkNames): [string, string] {
  return [link.apiName, `$ObjectMetadata.Link<${targetOf(link, names)}, ${link.isMany}>`]
}

function interfaceLink(link: LinkModel, names: OsdkNames): [string, string] {
  return [link.apiName, `$InterfaceMetadata.Link<${targetOf(link, names)}, ${link.isMany}>`]
}

function propertyDefinitions(
  properties: readonly PropertyModel[],
  primaryKey: string | undefined,
): string {
  return objectLiteral(
    properties.map(({ apiName, type }) => [
      apiName,
      propertyDefinition(type, apiName !== primaryKey),
    ]),
  )
}

function interfaceMap(
  interfaces: ObjectTypeModel['interfaces'],
  toPair: (pair: readonly [string, string]) => readonly [string, string],
): string {
  return objectLiteral(
    interfaces.map(({ apiName, properties }) => [
      apiName,
      objectLiteral(
        properties.map((pair): [string, string] => {
          const [from, to] = toPair(pair)
          return [from, literal(to)]
        }),
      ),
    ]),
  )
}

function optionalLiteral(text: string | undefined): string {
  return text === undefined ? 'undefined' : literal(text)
}

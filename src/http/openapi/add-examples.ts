import { DEMO_PATH } from './demo-names.ts'
import { EXAMPLES } from './examples.ts'

/** An operation of the document, as far as examples concern it. */
export interface Operation {
  readonly operationId?: string
  readonly parameters?: Parameter[]
  readonly requestBody?: { readonly content: Media }
  readonly responses?: Readonly<Record<string, { readonly content?: Media }>>
}

interface Parameter {
  readonly name: string
  readonly in?: string
  example?: unknown
}

type Media = Record<string, { example?: unknown }>

/** Adds the example of an operation to its parameters, its request body and its response. */
export function addExamples(operation: Operation): void {
  const example = EXAMPLES[operation.operationId ?? '']
  if (example === undefined) return
  for (const parameter of operation.parameters ?? []) {
    const { name } = parameter
    const value =
      example.parameters?.[name] ?? (parameter.in === 'path' ? DEMO_PATH[name] : undefined)
    if (value !== undefined) parameter.example = value
  }
  setExample(operation.requestBody?.content, example.request)
  setExample(operation.responses?.['200']?.content, example.response)
}

function setExample(content: Media = {}, example: unknown): void {
  for (const media of Object.values(content)) media.example = example
}

/** The languages in which the terms of a property can be stemmed. */

export const LANGUAGES = [
  'dutch',
  'english',
  'french',
  'german',
  'italian',
  'portuguese',
  'spanish',
] as const

export type Language = (typeof LANGUAGES)[number]

export function isLanguage(name: string): name is Language {
  return (LANGUAGES as readonly string[]).includes(name)
}

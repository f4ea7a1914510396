/**
 * Which characters of a text become a character of a term. Terms are cut in lower case, as
 * JavaScript defines it; the rules of the database depend on its locale and release.
 */

/** The last character that has a lower-case form is far below. */
const LAST_LETTER = 0x1_ffff
const BLOCK = 256

/** The only character whose lower-case form has two characters. */
export const DOTTED_CAPITAL_I = '\u0130'
export const DOTTED_SMALL_I = 'i\u0307'

const OTHER_FORMS = otherForms()

/** Returns the characters, beside itself, that become a character of a term. */
export function formsOf(character: string): readonly string[] {
  return OTHER_FORMS.get(character) ?? []
}

function otherForms(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>()
  for (let first = 0; first <= LAST_LETTER; first += BLOCK) {
    const block = Array.from({ length: BLOCK }, (_, at) => String.fromCodePoint(first + at))
    // Most blocks have no letters with two cases.
    const text = block.join('')
    if (text.toLowerCase() === text) continue
    for (const character of block) {
      const lower = character.toLowerCase().replaceAll('ς', 'σ')
      if (lower === character || character === DOTTED_CAPITAL_I) continue
      forms.set(lower, [...(forms.get(lower) ?? []), character])
    }
  }
  return forms
}

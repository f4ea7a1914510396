/** Numbers distinct texts from 1 on, in the order in which they are first added. */
import { isInByteOrder, sortTexts } from '../arrays/dictionary.ts'
import { ownText } from '../arrays/own-text.ts'

export class DistinctTexts {
  readonly #texts: string[] = []
  /** The numbers of the texts; undefined as long as each was after the one before, as in a sorted file. */
  #numbers: Map<string, number> | undefined

  /** Returns the number of a text; undefined if it is new. */
  numberOf(text: string): number | undefined {
    if (this.#numbers !== undefined) return this.#numbers.get(text)
    const last = this.#texts.at(-1)
    if (last === undefined || text > last) return undefined
    if (text === last) return this.#texts.length
    this.#numbers = this.#numberTexts()
    return this.#numbers.get(text)
  }

  /** Adds a new text. */
  add(text: string): void {
    const own = ownText(text)
    this.#texts.push(own)
    this.#numbers?.set(own, this.#texts.length)
  }

  /** Returns the texts in the order of a dictionary, and their numbers. */
  sort(): { readonly texts: readonly string[]; readonly numbers: Uint32Array } {
    const texts = this.#texts
    if (this.#numbers === undefined && isInByteOrder(texts)) {
      return { texts, numbers: Uint32Array.from(texts, (_, at) => at + 1) }
    }
    const numbers = this.#numbers ?? this.#numberTexts()
    const sorted = sortTexts([...texts])
    return { texts: sorted, numbers: Uint32Array.from(sorted, (text) => numbers.get(text) ?? 0) }
  }

  #numberTexts(): Map<string, number> {
    return new Map(this.#texts.map((text, at) => [text, at + 1]))
  }
}

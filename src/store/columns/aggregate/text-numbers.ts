/** Numbers the texts that a field has in several segments, so that equal texts have one number. */
import type { Dictionary } from '../arrays/dictionary.ts'

/** The code of no value. Codes of texts are their numbers plus 1. */
export const NO_TEXT = 0

export class TextNumbers {
  /** The texts of the first segment keep their numbers; others are added after them. */
  #dictionary: Dictionary | undefined
  readonly #added = new Map<string, number>()
  readonly #texts: string[] = []

  get size(): number {
    return (this.#dictionary?.size ?? 0) + this.#texts.length
  }

  /** Returns the number of each code of a segment, plus 1; 0 for the code of no value. */
  ofCodes(dictionary: Dictionary): Int32Array {
    this.#dictionary ??= dictionary
    if (dictionary === this.#dictionary) {
      const codes = new Int32Array(dictionary.size + 1)
      for (let code = 1; code <= dictionary.size; code += 1) codes[code] = code
      return codes
    }
    const numbers = dictionary.numbersIn(this.#dictionary).slice()
    for (let code = numbers.indexOf(0, 1); code !== -1; code = numbers.indexOf(0, code + 1)) {
      numbers[code] = this.numberOf(dictionary.at(code - 1)) + 1
    }
    return numbers
  }

  numberOf(text: string): number {
    const known = this.#dictionary?.find(text) ?? this.#added.get(text)
    if (known !== undefined) return known
    const number = this.size
    this.#added.set(text, number)
    this.#texts.push(text)
    return number
  }

  textOf(number: number): string {
    const size = this.#dictionary?.size ?? 0
    return number < size ? (this.#dictionary?.at(number) ?? '') : (this.#texts[number - size] ?? '')
  }

  /** Returns a number for each text that sorts as the text does. */
  ranks(): Float64Array {
    const dictionary = this.#dictionary
    const size = dictionary?.size ?? 0
    const ranks = new Float64Array(this.size)
    for (let number = 0; number < size; number += 1) ranks[number] = number
    const sorted = this.#texts
      .map((text, index) => {
        const before = dictionary?.countBefore(text) ?? 0
        return { bytes: Buffer.from(text), number: size + index, before }
      })
      .sort((a, b) => a.before - b.before || Buffer.compare(a.bytes, b.bytes))
    sorted.forEach(({ number, before }, place) => {
      ranks[number] = before - 1 + (place + 1) / (sorted.length + 1)
    })
    return ranks
  }
}

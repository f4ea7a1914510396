/** The widths of texts in drawings, where no style sheet can cut them. */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * Measures texts of a size as a drawing shows them, in pixels. A canvas would not do: it takes other
 * fonts for letters that the font of the page lacks.
 */
export function withTextMeasure<Result>(
  size: number,
  measure: (widthOf: (text: string) => number) => Result,
): Result {
  const drawing = document.createElementNS(SVG, 'svg')
  const line = drawing.appendChild(document.createElementNS(SVG, 'text'))
  drawing.setAttribute('class', 'absolute size-0 tabular-nums')
  line.setAttribute('font-size', String(size))
  document.body.append(drawing)
  try {
    return measure((text) => {
      line.textContent = text
      return line.getComputedTextLength()
    })
  } finally {
    drawing.remove()
  }
}

/** Cuts a text to a width. */
export function cutText(text: string, width: number, size: number): string {
  const letters = [...text]
  // Hardly a letter is wider than the size of its font.
  if (letters.length * size <= width) return text
  return withTextMeasure(size, (widthOf) => {
    if (widthOf(text) <= width) return text
    const cut = (length: number) => `${letters.slice(0, length).join('').trimEnd()}…`
    let [fits, exceeds] = [0, letters.length]
    while (exceeds - fits > 1) {
      const middle = (fits + exceeds) >> 1
      if (widthOf(cut(middle)) <= width) fits = middle
      else exceeds = middle
    }
    return cut(fits)
  })
}

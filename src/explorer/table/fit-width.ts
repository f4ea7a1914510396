/** Room for the padding of a cell, and a pixel that rounding may take. */
const CELL_EXTRA = 17
/** Room for the padding of a head, the arrow of the order, and the menu. */
const HEAD_EXTRA = 56
/** The space between the parts of a cell. */
const GAP = 6

/** Returns the width at which a column cuts neither its name nor a rendered value. */
export function fitWidth(grid: Element, columnIndex: number): number {
  const at = `[aria-colindex="${columnIndex + 1}"]`
  const name = grid.querySelector(`[role="columnheader"]${at} [data-name]`)
  const cells = [...grid.querySelectorAll(`[role="gridcell"]${at}`)]
  const widths = cells.map((cell) => textWidth(cell) + CELL_EXTRA)
  return Math.ceil(Math.max(name === null ? 0 : textWidth(name) + HEAD_EXTRA, ...widths))
}

/** Texts are laid out in full, also where the element that they are in is narrower. */
function textWidth(element: Element): number {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  let width = 0
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.nodeValue?.trim() === '' || text.parentElement?.matches('.sr-only')) continue
    range.selectNodeContents(text)
    width += range.getBoundingClientRect().width + (width > 0 ? GAP : 0)
  }
  return width
}

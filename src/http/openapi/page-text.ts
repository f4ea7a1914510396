/** Texts of `openapi.json` as HTML. Descriptions use paragraphs, lists, code, bold and links of Markdown. */

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character)
}

export function markdownHtml(text: string): string {
  const blocks = text.trim().split(/\n{2,}/)
  return blocks.map((block) => (block === '' ? '' : blockHtml(block))).join('')
}

function blockHtml(block: string): string {
  if (!block.startsWith('- ')) return `<p>${inlineHtml(block)}</p>`
  const items = block.slice(2).split(/\n- /)
  return `<ul>${items.map((item) => `<li>${inlineHtml(item)}</li>`).join('')}</ul>`
}

function inlineHtml(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}

const meanings: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text that stays text between tags and within quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => meanings[character] ?? '')
}

/** From the first to the last, in portions that a statement bears. */
export async function inPortions(messages: number, put: (orders: readonly number[]) => Promise<unknown>): Promise<void> {
  const portion = 2000
  for (let sent = 0; sent < messages; sent += portion)
    await put(Array.from({ length: Math.min(portion, messages - sent) }, (_, index) => sent + index))
}

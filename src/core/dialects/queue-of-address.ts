/** .NET buses write where as a URI, `kafka://topic/orders`: the queue is the end of its path. */
export function queueOfAddress(address: string | undefined): string | undefined {
  const [path = ''] = address?.split('?', 1) ?? []
  return path.split('/').pop() || undefined
}

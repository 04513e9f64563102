const shape = /^((?:[A-Za-z_$][\w$]*[.:]{1,2})*[A-Za-z_$][\w$]*)(?: \[\w+\]| \(\w+\))?(?:: (.*)|:?)$/

/** How most languages print an error: `Type: message`, `Type [CODE]: message`, `Type (0x80131904): message`, or a type alone. */
export function headOf(line: string): { readonly type?: string; readonly message?: string } {
  const [, type, message] = shape.exec(line.trim()) ?? []
  if (type === undefined) return {}
  return { type, message: message ?? '' }
}

/** Whether a vault is on a server, which is named by a url; any other text is the path of a file. */
export function isServerUrl(vault: string): boolean {
  return /^postgres(ql)?:\/\//i.test(vault)
}

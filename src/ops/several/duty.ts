/** Of several control planes on a vault: whether this one works, and who does. One that is alone always works. */
export interface Duty {
  /** What people know this one by. */
  readonly instance: string
  readonly works: boolean
  /** Nobody for some seconds, after one was killed. */
  readonly worker: { readonly name: string; readonly since: number } | null
}

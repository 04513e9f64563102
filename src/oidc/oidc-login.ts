/** Signing in with an issuer of OpenID Connect, as the configuration says. */
export interface OidcLogin {
  /** Where its discovery document is found, and what its tokens have to say. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the button says. */
  readonly name: string
  readonly scopes: readonly string[]
  /** Where the groups of somebody stand, and what they are called. */
  readonly groupsClaim: string
  readonly nameClaim: string
  /** The first one that somebody is in says what they may do. */
  readonly groups: readonly GroupGrant[]
  /** What somebody gets who is in none of them; without it they are refused. */
  readonly others?: LoginGrant
}

export interface LoginGrant {
  readonly role: string
  /** Patterns of `connection/channel`. */
  readonly sources: readonly string[]
  readonly reveal: boolean
}

export interface GroupGrant extends LoginGrant {
  readonly group: string
}

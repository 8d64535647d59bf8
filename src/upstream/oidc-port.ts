import type { JsonRecord } from "#core/json/json";

/** What is made up for one sign-in, and must come back. */
export type OidcSecrets = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** Claims that the provider made to us, about whom it calls `sub`. */
export type OidcClaims = { readonly sub: string; readonly all: JsonRecord };

/** An OpenID provider, as a relying party sees it. All throw `OidcFailure`. */
export type OidcProvider = {
  /** Where the browser goes. With `again` the person is asked anew, whatever session they have there. */
  addressFor(secrets: OidcSecrets, redirectUri: string, again: boolean): Promise<string>;
  /**
   * What the answer at the redirect address stands for. Checked: state, issuer, code with PKCE, signature, audience,
   * nonce, times. Tokens are dropped when it returns.
   */
  claimsOf(answer: URLSearchParams, secrets: OidcSecrets, redirectUri: string): Promise<OidcClaims>;
  /** Where the browser ends its session there, to come back to `returnTo`; null where the provider offers no such place. */
  signOutAddress(returnTo: string): Promise<string | null>;
};

/** `fault` names what was wrong in a word of our own or the library's; neither it nor the message quotes anything. */
export class OidcFailure extends Error {
  override readonly name = "OidcFailure";
  constructor(
    /** `denied`: the provider said so, or the person did. */
    readonly reason: "unreachable" | "bad_answer" | "denied",
    readonly fault: string,
  ) {
    super(`Sign-in by OpenID Connect failed: ${reason}, ${fault}`);
  }
}

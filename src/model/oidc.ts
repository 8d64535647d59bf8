import { isRecord, type JsonRecord } from "#core/json/json";
import { isPlainEmail, type Role } from "./person";

/*
 * Who may come in by the word of an OpenID provider, and as what. Pure: what the provider said was checked before, that
 * it said it, and to us.
 */

/** How people come in by an OpenID provider, as the operator set it. */
export type OidcRules = {
  readonly issuer: string;
  /** What the button says after "Continue with". */
  readonly name: string;
  /** Lower case. Empty for all. */
  readonly allowedDomains: readonly string[];
  /** Whether strangers become users, or only those an administrator has made may come in. */
  readonly newUsers: "invited" | "create";
  /** The claim that says whether `email` is the person's own. */
  readonly emailVerifiedClaim: string;
  /** The claim roles are told by; null to leave them to administrators. */
  readonly roleClaim: string | null;
  readonly roleMap: Readonly<Record<string, Role>>;
  readonly defaultRole: Role;
};

/** Why somebody who signed in at the provider stays out. For the record; the browser is told less. */
export const OIDC_REFUSALS = [
  "no_attempt",
  "denied",
  "unreachable",
  "bad_answer",
  "unverified_email",
  "foreign_domain",
  "roles_not_told",
  "unknown_user",
  "disabled",
  "other_identity",
  "other_user",
] as const;
export type OidcRefusal = (typeof OIDC_REFUSALS)[number];

/** What the sign-in page is told, in its address. It has one sentence for each and shows nothing else. */
export const OIDC_PROBLEMS = ["expired", "denied", "unavailable", "failed", "unverified", "no_access", "busy"] as const;
export type OidcProblem = (typeof OIDC_PROBLEMS)[number];

/** Strangers, disabled people and those of other domains are told alike: nobody learns here who has an account. */
export const problemOf = (refusal: OidcRefusal): OidcProblem => {
  if (refusal === "no_attempt") return "expired";
  if (refusal === "denied") return "denied";
  if (refusal === "unreachable") return "unavailable";
  if (refusal === "bad_answer") return "failed";
  return refusal === "unverified_email" ? "unverified" : "no_access";
};

/**
 * The address that the provider vouches for; null for none. An unverified one is whatever somebody typed into an account
 * of theirs, and taking it for theirs would give them the account of another here (nOAuth).
 */
export const verifiedEmail = (claims: JsonRecord, { emailVerifiedClaim }: OidcRules): string | null => {
  const { email } = claims;
  const verified = claims[emailVerifiedClaim];
  // OpenID Connect Core §5.1 asks for a boolean. Amazon Cognito's userinfo endpoint and Apple send the text "true", Entra's
  // xms_edov is 1 or "1" in some tenants; none of these can mean anything else.
  const isVerified = verified === true || verified === "true" || verified === 1 || verified === "1";
  // One that folds to another's would be the other's here.
  return isVerified && typeof email === "string" && isPlainEmail(email) ? email : null;
};

/** Whole domains only: that of `ada@eu.example.org` is not `example.org`. */
export const isDomainAllowed = (email: string, { allowedDomains }: OidcRules): boolean => {
  if (allowedDomains.length === 0) return true;
  const at = email.lastIndexOf("@");
  return at > 0 && allowedDomains.includes(email.slice(at + 1).toLowerCase());
};

/** From the one that may most. */
const MIGHT: readonly Role[] = ["admin", "reviewer", "analyst", "auditor", "member"];

/** The mightiest role that one of the claim's values stands for; `untold` when the provider keeps the values back. */
export const roleTold = (
  claims: JsonRecord,
  { roleClaim, roleMap, defaultRole }: OidcRules,
): Role | null | "untold" => {
  if (roleClaim === null) return null;
  const value = claimAt(claims, roleClaim);
  // Too many for a token: the provider names a place to ask instead (OpenID Connect Core §5.6.2).
  const elsewhere = claims["_claim_names"];
  if (value === undefined && isRecord(elsewhere) && Object.hasOwn(elsewhere, roleClaim)) return "untold";
  const values = Array.isArray(value) ? value : [value];
  const roles = values.flatMap((one) => (typeof one === "string" && Object.hasOwn(roleMap, one) ? [roleMap[one]] : []));
  return MIGHT.find((role) => roles.includes(role)) ?? defaultRole;
};

/** By its name, else by a path: `realm_access.roles`. Names may have dots of their own, so they go first. */
export const claimAt = (claims: JsonRecord, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path];
  let at: unknown = claims;
  for (const name of path.split(".")) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
};

/**
 * When the person proved who they are, Unix milliseconds: as the provider says, which may have been at another program
 * hours ago; now, where it does not say.
 */
export const provedAt = ({ auth_time: at }: JsonRecord, now: number): number =>
  typeof at === "number" && Number.isFinite(at) ? Math.max(0, Math.min(now, at * 1_000)) : now;

/**
 * Where a browser ends its session at the provider (OpenID Connect RP-Initiated Logout 1.0 §2); null where what the
 * document names is no address that a browser may be led to. `protocols`: those allowed, with their colon. No
 * `id_token_hint`: no token is kept.
 */
export const endSessionAddress = (
  endpoint: unknown,
  protocols: readonly string[],
  { clientId, returnTo }: { readonly clientId: string; readonly returnTo: string },
): string | null => {
  const url = typeof endpoint === "string" ? URL.parse(endpoint) : null;
  if (!url || !protocols.includes(url.protocol) || url.username !== "" || url.password !== "") return null;
  url.hash = "";
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("post_logout_redirect_uri", returnTo);
  return url.href;
};

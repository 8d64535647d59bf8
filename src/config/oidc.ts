import { Role } from "#core/person";
import { Type } from "#core/schema";
import { oneOf } from "./setting";

/** The OpenID provider that people can sign in at. */
export const Oidc = Type.Object({
  issuer: Type.String({
    default: "",
    pattern: "^(https?://[^\\s/?#@]+(/[^\\s?#]*)?)?$",
    expects: "the provider's issuer URL, as its /.well-known/openid-configuration writes it",
    description: "The OpenID provider people can sign in at. Without one there is none.",
  }),
  client_id: Type.String({
    default: "",
    maxLength: 512,
    expects: "the id the provider gave the hub",
    description: "Who the hub is at the provider.",
  }),
  client_secret: Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()], {
    default: null,
    secret: true,
    expects: "the secret the provider gave the hub",
    description: "The hub's secret there. Without one it is a public client, by PKCE alone.",
  }),
  name: Type.String({
    default: "single sign-on",
    minLength: 1,
    maxLength: 60,
    expects: "up to 60 characters",
    description: "What the sign-in page calls the provider: Continue with this.",
  }),
  scopes: Type.Array(Type.String({ pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" }), {
    default: ["openid", "email", "profile"],
    expects: "a list of scopes",
    description: "What the provider is asked for. Some need one more for groups.",
  }),
  allowed_domains: Type.Array(Type.String({ pattern: "^[^\\s@]+$" }), {
    default: [],
    expects: "a list of domains, e.g. example.org",
    description: "Domains of the verified e-mail addresses that may come in; all when empty.",
  }),
  new_users: oneOf(
    ["invited", "create"],
    "invited",
    "invited: only people who are users already; create: whoever has an address of allowed_domains becomes one.",
  ),
  email_verified_claim: Type.String({
    default: "email_verified",
    minLength: 1,
    maxLength: 128,
    expects: "the name of a claim",
    description: "The claim that says the e-mail address is the person's own; xms_edov at Entra ID.",
  }),
  role_claim: Type.String({
    default: "",
    maxLength: 256,
    expects: "the name of a claim, or a path to it, e.g. groups or realm_access.roles",
    description: "The claim that roles are told by, at every sign-in. Without one roles are set here only.",
  }),
  role_map: Type.Record(Type.String(), Role, {
    default: {},
    expects: 'values of the claim with a role each, e.g. "guardhouse-admins" = "admin"',
    description: "Which value of role_claim stands for which role; of several the mightiest.",
  }),
  default_role: oneOf(
    ["reviewer", "analyst", "member", "auditor"],
    "member",
    "The role of new users, and of whoever has none of the values in role_map.",
  ),
  sign_out: oneOf(
    ["provider", "hub"],
    "provider",
    "provider: signing out of a session that began at the provider ends it there too, where the provider offers that; hub: it ends here only.",
  ),
  allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
    default: [],
    expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
    description: "Private networks in which the provider may be; plain http is good enough there.",
  }),
});

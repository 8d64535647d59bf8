import { Type } from "#core/schema";
import { Role } from "#model/person";
import { oneOf } from "./setting";

/** The OpenID provider that people can sign in at. */
export const Oidc = Type.Object({
  issuer: Type.String({
    default: "",
    pattern: "^(https?://[^\\s/?#@]+(/[^\\s?#]*)?)?$",
    expects: "the provider's issuer URL, as its /.well-known/openid-configuration writes it",
    description: "OpenID provider for sign-in. Default: none.",
  }),
  client_id: Type.String({
    default: "",
    maxLength: 512,
    expects: "the id the provider gave the hub",
    description: "Client id of the hub at the provider.",
  }),
  client_secret: Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()], {
    default: null,
    secret: true,
    expects: "the secret the provider gave the hub",
    description: "Client secret. Without one the hub is a public client, with PKCE only.",
  }),
  name: Type.String({
    default: "single sign-on",
    minLength: 1,
    maxLength: 60,
    expects: "up to 60 characters",
    description: "Name of the provider on the sign-in page: “Continue with …”.",
  }),
  scopes: Type.Array(Type.String({ pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" }), {
    default: ["openid", "email", "profile"],
    expects: "a list of scopes",
    description: "Requested scopes. Some providers need another one for groups.",
  }),
  allowed_domains: Type.Array(Type.String({ pattern: "^[^\\s@]+$" }), {
    default: [],
    expects: "a list of domains, e.g. example.org",
    description: "Domains of e-mail addresses that may sign in. Default: all.",
  }),
  new_users: oneOf(
    ["invited", "create"],
    "invited",
    "invited: only existing users may sign in; create: everybody with an address of allowed_domains becomes a user.",
  ),
  email_verified_claim: Type.String({
    default: "email_verified",
    minLength: 1,
    maxLength: 128,
    expects: "the name of a claim",
    description: "Claim that says that the e-mail address is verified; xms_edov at Entra ID.",
  }),
  role_claim: Type.String({
    default: "",
    maxLength: 256,
    expects: "the name of a claim, or a path to it, e.g. groups or realm_access.roles",
    description: "Claim that sets the role at every sign-in. Default: roles are set in the hub only.",
  }),
  role_map: Type.Record(Type.String(), Role, {
    default: {},
    expects: 'values of the claim with a role each, e.g. "guardhouse-admins" = "admin"',
    description: "Role for each value of role_claim; the most privileged one applies.",
  }),
  default_role: oneOf(
    ["reviewer", "analyst", "member", "auditor"],
    "member",
    "Role of new users, and of users without a value in role_map.",
  ),
  sign_out: oneOf(
    ["provider", "hub"],
    "provider",
    "provider: signing out also ends the session at the provider, if it supports that; hub: only the hub's session ends.",
  ),
  allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
    default: [],
    expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
    description: "Private networks allowed for the provider, also over plain http.",
  }),
});

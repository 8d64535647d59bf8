import type { Requirement } from "./requirement";

/** What is promised of people at the browser. */
export const SIGN_IN: readonly Requirement[] = [
  {
    id: "session.key",
    promise: "A session key is shown once, stored as its hash, and a secret to the scanner.",
    source: "docs/spec/tokens-and-sessions.md#session-keys",
  },
  {
    id: "session.scope",
    promise:
      "/api opens to live sessions only; a gateway token is told that it is not enough, a session key opens nothing under /v1.",
    source: "docs/spec/tokens-and-sessions.md#session-keys",
  },
  {
    id: "session.fresh",
    promise:
      "Who makes users, roles, links and secrets by browser has proved who they are within ten minutes; a password makes a session fresh again, guessed at as slowly as at sign-in.",
    source: "docs/spec/tokens-and-sessions.md#session-keys",
  },
  {
    id: "session.end",
    promise: "An expired or revoked session opens nothing, from the next request on.",
    source: "docs/spec/tokens-and-sessions.md#session-keys",
  },
  {
    id: "api.pages",
    promise: "Lists under /api are pages, newest first; no page repeats anything or leaves it out.",
    source: "docs/spec/api.md#lists",
  },
  {
    id: "sign-in.password",
    promise: "People sign in with an e-mail address and a password; what is wrong is never said, nor who is known.",
    source: "docs/spec/sign-in.md#passwords",
  },
  {
    id: "sign-in.address",
    promise:
      "Two people have no addresses that fold to one, or that only hidden or look-alike forms of ASCII tell apart.",
    source: "docs/spec/sign-in.md#addresses-of-people",
  },
  {
    id: "sign-in.cookie",
    promise: "The session cookie is HttpOnly and SameSite=Lax, and Secure where the public URL is https.",
    source: "docs/spec/sign-in.md#sessions-and-cookies",
  },
  {
    id: "sign-in.recorded",
    promise: "Every sign-in, failed or not, leaves a record without anything an unknown person typed.",
    source: "docs/spec/sign-in.md#records",
  },
  {
    id: "sign-in.fixation",
    promise: "Signing in always makes a new session: a cookie that was there before is worth nothing.",
    source: "docs/spec/sign-in.md#sessions-and-cookies",
  },
  {
    id: "sign-in.disable",
    promise: "Of a disabled user no token, session or key opens anything, from the next request on.",
    source: "docs/spec/sign-in.md#sessions-and-cookies",
  },
  {
    id: "sign-in.password-change",
    promise: "A new password ends every other session of its user, in browsers and keys.",
    source: "docs/spec/sign-in.md#passwords",
  },
  {
    id: "sign-in.origin",
    promise: "By cookie nothing is changed but from a page of the hub's own; sign-in itself needs that too.",
    source: "docs/spec/sign-in.md#requests-from-pages",
  },
  {
    id: "sign-in.allow-list",
    promise:
      "Below /api/auth nothing is served but what the hub has a route of its own for, whatever the library offers.",
    source: "docs/spec/sign-in.md#requests-from-pages",
  },
  {
    id: "sign-in.closed",
    promise: "Nobody makes an account for themselves.",
    source: "docs/spec/sign-in.md#requests-from-pages",
  },
  {
    id: "sign-in.invitation",
    promise: "An invitation's link works once, for a week, and only the newest one.",
    source: "docs/spec/sign-in.md#invitations",
  },
  {
    id: "sign-in.first-run",
    promise: "Without an administrator serve shows a link that makes one, once, within half an hour.",
    source: "docs/spec/sign-in.md#the-first-administrator",
  },
  {
    id: "sign-in.first-run-race",
    promise: "Of several who set up the first administrator at once one does.",
    source: "docs/spec/sign-in.md#the-first-administrator",
  },
  {
    id: "sign-in.unclaimed",
    promise:
      "On a public address nothing but the set-up page and its liveness is served before there is an administrator.",
    source: "docs/spec/sign-in.md#the-first-administrator",
  },
  {
    id: "sign-in.bootstrap",
    promise: "Configuration makes the first administrator when there is none of that address, and never changes one.",
    source: "docs/spec/sign-in.md#the-first-administrator",
  },
  {
    id: "sign-in.backoff",
    promise: "Guessing is slowed by account and by address, and no header that a client sends changes which.",
    source: "docs/spec/sign-in.md#guessing",
  },
  {
    id: "sign-in.timing",
    promise: "An unknown address takes as long to refuse as a known one.",
    source: "docs/spec/sign-in.md#passwords",
  },
  {
    id: "sign-in.pages",
    promise: "The pages run under a policy that allows their own script only, load nothing, and are framed by nobody.",
    source: "docs/spec/sign-in.md#the-pages",
  },
  {
    id: "sign-in.no-redirect",
    promise: "Nothing a request says leads a browser elsewhere.",
    source: "docs/spec/sign-in.md#requests-from-pages",
  },
  {
    id: "sign-in.database-leak",
    promise: "What is in the database opens nothing: no cookie can be made of it.",
    source: "docs/spec/sign-in.md#sessions-and-cookies",
  },
  {
    id: "oidc.rotation",
    promise:
      "An OpenID provider's new keys are fetched when a token names one that is not known, at most once in ten seconds.",
    source: "docs/spec/sign-in.md#openid-signing-in",
  },
  {
    id: "oidc.sign-in",
    promise: "People sign in at the OpenID provider the operator set, by code with PKCE, into a new session.",
    source: "docs/spec/sign-in.md#openid-signing-in",
  },
  {
    id: "oidc.answer",
    promise:
      "An answer is good once, in the browser that asked, from the provider it asked: state, nonce, issuer, audience, times and signature are checked.",
    source: "docs/spec/sign-in.md#openid-signing-in",
  },
  {
    id: "oidc.verified",
    promise: "Nobody is let in, made or linked by an address that the provider does not vouch for.",
    source: "docs/spec/sign-in.md#openid-who-is-admitted",
  },
  {
    id: "oidc.linking",
    promise:
      "A subject stands for one user and a user for one subject; an address that went to somebody else at the provider opens nothing.",
    source: "docs/spec/sign-in.md#openid-who-is-admitted",
  },
  {
    id: "oidc.who",
    promise:
      "Only addresses of the allowed domains are admitted, unknown people only where the operator allows it, disabled people never.",
    source: "docs/spec/sign-in.md#openid-who-is-admitted",
  },
  {
    id: "oidc.roles",
    promise: "Roles follow the provider's claim at every sign-in; the last administrator keeps theirs.",
    source: "docs/spec/sign-in.md#openid-who-is-admitted",
  },
  {
    id: "oidc.recorded",
    promise:
      "Every sign-in by the provider, every refusal with its reason, every link, creation and change of role is on record.",
    source: "docs/spec/sign-in.md#openid-pages-records-secrets",
  },
  {
    id: "oidc.page",
    promise:
      "The sign-in page says in sentences of its own what went wrong, and shows nothing of what came from elsewhere.",
    source: "docs/spec/sign-in.md#openid-pages-records-secrets",
  },
  {
    id: "oidc.no-redirect",
    promise:
      "From the provider browsers come back to the hub's own pages only: a client's request goes on where it was.",
    source: "docs/spec/sign-in.md#openid-pages-records-secrets",
  },
  {
    id: "oidc.fresh",
    promise: "A session can be confirmed at the provider, by the same person, asked for anew.",
    source: "docs/spec/sign-in.md#openid-signing-in",
  },
  {
    id: "oidc.guarded",
    promise:
      "The provider and every address its document names are public, or in networks the operator allowed; a provider that is down keeps no hub from starting.",
    source: "docs/spec/sign-in.md#openid-pages-records-secrets",
  },
  {
    id: "oidc.secrets",
    promise: "Neither the hub's secret nor codes, tokens or verifiers are in logs, records or the database.",
    source: "docs/spec/sign-in.md#openid-pages-records-secrets",
  },
  {
    id: "oidc.sign-out",
    promise:
      "Signing out ends a session that began at the OpenID provider there too, where its document names an address for that; nobody else is led there.",
    source: "docs/sign-in.md#openid-connect",
  },
  {
    id: "oidc.password-off",
    promise: "With password sign-in switched off no password opens anything; the command line still makes a way in.",
    source: "docs/spec/sign-in.md#openid-who-is-admitted",
  },
];

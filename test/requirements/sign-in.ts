import type { Requirement } from "./requirement";

/** What is promised of people at the browser. */
export const SIGN_IN: readonly Requirement[] = [
  {
    id: "session.key",
    promise: "A session key is shown once, stored as its hash, and a secret to the scanner.",
    source: "decisions.md §2",
  },
  {
    id: "session.door",
    promise:
      "/api opens to live sessions only; a gateway token is told that it is not enough, a session key opens nothing under /v1.",
    source: "decisions.md §1, §2",
  },
  {
    id: "session.fresh",
    promise:
      "Who makes users, roles, links and secrets by browser has proved who they are within ten minutes; a password makes a session fresh again, guessed at as slowly as at sign-in.",
    source: "issue 7; auth.md §9",
  },
  {
    id: "session.end",
    promise: "An expired or revoked session opens nothing, from the next request on.",
    source: "decisions.md §2",
  },
  {
    id: "api.pages",
    promise: "Lists under /api are pages, newest first; no page repeats anything or leaves it out.",
    source: "decisions.md §1",
  },
  {
    id: "sign-in.password",
    promise: "People sign in with an e-mail address and a password; what is wrong is never said, nor who is known.",
    source: "issue 7",
  },
  {
    id: "sign-in.address",
    promise:
      "Two people have no addresses that fold to one, or that only hidden or look-alike forms of ASCII tell apart.",
    source: "issue 7",
  },
  {
    id: "sign-in.cookie",
    promise: "The session cookie is HttpOnly and SameSite=Lax, and Secure where the public URL is https.",
    source: "issue 7",
  },
  {
    id: "sign-in.recorded",
    promise: "Every sign-in, failed or not, leaves a record without anything a stranger typed.",
    source: "issue 7",
  },
  {
    id: "sign-in.fixation",
    promise: "Signing in always makes a new session: a cookie that was there before is worth nothing.",
    source: "issue 7",
  },
  {
    id: "sign-in.disable",
    promise: "Of a disabled user no token, session or key opens anything, from the next request on.",
    source: "issue 7",
  },
  {
    id: "sign-in.password-change",
    promise: "A new password ends every other session of its user, in browsers and keys.",
    source: "issue 7",
  },
  {
    id: "sign-in.origin",
    promise: "By cookie nothing is changed but from a page of the hub's own; sign-in itself needs that too.",
    source: "issue 7",
  },
  {
    id: "sign-in.allow-list",
    promise:
      "Below /api/auth nothing is served but what the hub has a route of its own for, whatever the library offers.",
    source: "issue 7",
  },
  {
    id: "sign-in.closed",
    promise: "Nobody makes an account for themselves.",
    source: "issue 7",
  },
  {
    id: "sign-in.invitation",
    promise: "An invitation's link works once, for a week, and only the newest one.",
    source: "issue 7",
  },
  {
    id: "sign-in.first-run",
    promise: "Without an administrator serve shows a link that makes one, once, within half an hour.",
    source: "issue 7",
  },
  {
    id: "sign-in.first-run-race",
    promise: "Of several who set up the first administrator at once one does.",
    source: "issue 7",
  },
  {
    id: "sign-in.unclaimed",
    promise:
      "On a public address nothing but the set-up page and its liveness is served before there is an administrator.",
    source: "issue 7",
  },
  {
    id: "sign-in.bootstrap",
    promise: "Configuration makes the first administrator when there is none of that address, and never changes one.",
    source: "issue 7",
  },
  {
    id: "sign-in.backoff",
    promise: "Guessing is slowed by account and by address, and no header of a stranger's changes which.",
    source: "issue 7",
  },
  {
    id: "sign-in.timing",
    promise: "An unknown address takes as long to refuse as a known one.",
    source: "issue 7",
  },
  {
    id: "sign-in.pages",
    promise: "The pages run under a policy that allows their own script only, load nothing, and are framed by nobody.",
    source: "issue 7",
  },
  {
    id: "sign-in.no-redirect",
    promise: "Nothing a request says leads a browser elsewhere.",
    source: "issue 7",
  },
  {
    id: "sign-in.database-leak",
    promise: "What is in the database opens nothing: no cookie can be made of it.",
    source: "issue 7",
  },
  {
    id: "oidc.rotation",
    promise:
      "An OpenID provider's new keys are fetched when a token names one that is not known, at most once in ten seconds.",
    source: "docs/sign-in.md",
  },
  {
    id: "oidc.sign-in",
    promise: "People sign in at the OpenID provider the operator set, by code with PKCE, into a new session.",
    source: "issue 7",
  },
  {
    id: "oidc.answer",
    promise:
      "An answer is good once, in the browser that asked, from the provider it asked: state, nonce, issuer, audience, times and signature are checked.",
    source: "issue 7; OpenID Connect Core §3.1.3.7, RFC 9207",
  },
  {
    id: "oidc.verified",
    promise: "Nobody is let in, made or linked by an address that the provider does not vouch for.",
    source: "auth.md §9",
  },
  {
    id: "oidc.linking",
    promise:
      "A subject stands for one user and a user for one subject; an address that went to somebody else at the provider opens nothing.",
    source: "auth.md §9",
  },
  {
    id: "oidc.who",
    promise:
      "Only addresses of the allowed domains come in, strangers only where the operator lets them, disabled people never.",
    source: "issue 7",
  },
  {
    id: "oidc.roles",
    promise: "Roles follow the provider's claim at every sign-in; the last administrator keeps theirs.",
    source: "issue 7",
  },
  {
    id: "oidc.recorded",
    promise:
      "Every sign-in by the provider, every refusal with its reason, every link, creation and change of role is on record.",
    source: "issue 7",
  },
  {
    id: "oidc.page",
    promise:
      "The sign-in page says in sentences of its own what went wrong, and shows nothing of what came from elsewhere.",
    source: "issue 7",
  },
  {
    id: "oidc.no-redirect",
    promise:
      "From the provider browsers come back to the hub's own pages only: a client's request goes on where it was.",
    source: "issue 7",
  },
  {
    id: "oidc.fresh",
    promise: "A session can be confirmed at the provider, by the same person, asked for anew.",
    source: "auth.md §9",
  },
  {
    id: "oidc.guarded",
    promise:
      "The provider and every address its document names are public, or in networks the operator allowed; a provider that is down keeps no hub from starting.",
    source: "auth.md §9",
  },
  {
    id: "oidc.secrets",
    promise: "Neither the hub's secret nor codes, tokens or verifiers are in logs, records or the database.",
    source: "auth.md §9",
  },
  {
    id: "oidc.sign-out",
    promise:
      "Signing out ends a session that began at the OpenID provider there too, where its document names an address for that; nobody else is led there.",
    source: "docs/sign-in.md#an-openid-provider; OpenID Connect RP-Initiated Logout 1.0 §2",
  },
  {
    id: "oidc.password-off",
    promise: "With password sign-in switched off no password opens anything; the command line still makes a way in.",
    source: "issue 7",
  },
];

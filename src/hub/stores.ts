import type { Store } from "#store/port";
import { feature } from "./feature";

const port =
  <K extends keyof Store>(name: K) =>
  (parts: { readonly store: Pick<Store, K> }): Store[K] =>
    parts.store[name];

/** What is stored, each kind a part of its own. */
export const stores = feature({
  provides: {
    agents: port("agents"),
    alerts: port("alerts"),
    assignees: port("assignees"),
    audit: port("audit"),
    budgets: port("budgets"),
    calls: port("calls"),
    changes: port("changes"),
    content: port("content"),
    holds: port("holds"),
    hookSources: port("hookSources"),
    idempotency: port("idempotency"),
    jobs: port("jobs"),
    killSwitches: port("killSwitches"),
    limitUse: port("limitUse"),
    nodes: port("nodes"),
    notices: port("notices"),
    oauth: port("oauth"),
    oidc: port("oidc"),
    outbox: port("outbox"),
    pastEvents: port("pastEvents"),
    policies: port("policies"),
    prices: port("prices"),
    profiles: port("profiles"),
    providers: port("providers"),
    proofs: port("proofs"),
    reports: port("reports"),
    restrictions: port("restrictions"),
    retention: port("retention"),
    reviews: port("reviews"),
    said: port("said"),
    sealed: port("sealed"),
    secrets: port("secrets"),
    sessions: port("sessions"),
    shipping: port("shipping"),
    shared: port("shared"),
    signIn: port("signIn"),
    storage: port("storage"),
    suggestions: port("suggestions"),
    tokens: port("tokens"),
    tools: port("tools"),
    tuning: port("tuning"),
    usage: port("usage"),
    users: port("users"),
    views: port("views"),
    proposals: port("proposals"),
    watch: port("watch"),
    webhooks: port("webhooks"),
  } satisfies Record<Exclude<keyof Store, "stopUpkeep" | "close">, unknown>,
});

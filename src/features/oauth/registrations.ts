import type { Identity } from "#identity/port";
import { type Actor, changeRecord } from "#model/change";
import type { OAuthClient } from "#model/oauth/client";
import { registered, registrationOf } from "#model/oauth/registration";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { OAuthStore } from "#store/oauth-port";
import type { Pacing } from "./fixed-window-limiter";

type RegistrationsNeeds = {
  readonly store: Pick<OAuthStore, "register" | "sweepOAuth">;
  readonly identity: () => Promise<Identity>;
  readonly resource: () => string;
  readonly now: Clock;
  readonly pacing: Pacing;
  readonly ids: Ids;
};

const DAY_MS = 86_400_000;
const MAX_HOST_LENGTH = 100;
/** Of the places in a record. */
const MAX_HOSTS = 3;
/**
 * What strangers can fill the disk with: some 30 MB. At the fastest pace there is, a person has ten minutes to let in
 * the program that has just registered.
 */
const MAX_WAITING = 2_000;
const ANYBODY: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

/** Clients register themselves, unasked and unknown: what they get by it is a number, and it is worth nothing alone. */
export class Registrations {
  private readonly limiter;

  constructor(private readonly deps: RegistrationsNeeds) {
    this.limiter = deps.pacing("registration", { each: 20, all: 200 });
  }

  /** Throws `OAuthError`, and `rate_limit_exceeded`. */
  async register(body: unknown, network: string): Promise<ReturnType<typeof registered>> {
    const { store, identity, resource, now, ids } = this.deps;
    await this.limiter.step(network);
    const wanted = registrationOf(body);
    await (await identity()).oauth.ready();
    const id = ids();
    const client: OAuthClient = { ...wanted, id, handle: id, disabled: false, created_at: now() };
    // Not the name: strangers would write into the record what they like.
    const detail = { redirect_uris: hostsOf(client) };
    const change = { kind: "oauth.register", by: ANYBODY, subject: "oauth_client", subject_id: client.id, detail };
    const record = changeRecord(change, { id: ids(), at: client.created_at });
    await store.register(client, resource(), MAX_WAITING, record);
    return registered(client.id, wanted, client.created_at);
  }

  /** To be called a few times a day. Clients that nobody let in are forgotten after a day. */
  async sweep(): Promise<void> {
    const now = this.deps.now();
    await this.deps.store.sweepOAuth(now, now - DAY_MS);
  }
}

/** Where codes go, as far as the record needs it. */
export const hostsOf = ({ redirect_uris }: Pick<OAuthClient, "redirect_uris">): readonly string[] =>
  [...new Set(redirect_uris.map(hostOf))].slice(0, MAX_HOSTS);

const hostOf = (uri: string): string => {
  const { host, protocol } = new URL(uri);
  return (host || protocol).slice(0, MAX_HOST_LENGTH);
};

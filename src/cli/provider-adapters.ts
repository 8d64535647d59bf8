import type { HubInputs } from "#app";
import type { Environment } from "#config/environment";
import type { Config } from "#config/schema";
import { keyPurpose } from "#features/providers/service";
import { type BreakerReading, DEFAULT_APIS } from "#model/provider";
import { systemClock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { ProviderRow, ProviderStore } from "#store/port";
import { Breaker } from "#upstream/breaker";
import { openCredential } from "#upstream/credentials/open";
import { type GuardedFetch, guardedFetch } from "#upstream/guarded-fetch";
import { plainFetch } from "#upstream/plain-fetch";
import type { Credential } from "#upstream/port";
import { type CheckedProvider, checkProvider } from "#upstream/provider-check";
import { ProviderUpstream } from "#upstream/provider-upstream";
import { Reachability } from "#upstream/reachability";

/** For providers whose address a person gave at `/api`. */
const providerFetch = ({ upstream }: Config): GuardedFetch =>
  guardedFetch({
    allowPrivate: upstream.allow_private,
    setting: "upstream.allow_private",
    http: "allowed networks",
    connectMs: upstream.connect_ms,
  });

/** Asks a stored provider what works. */
export const providerCheck = (world: CredentialWorld): HubInputs["management"]["checkProvider"] => {
  const fetch = providerFetch(world.config);
  return async (row) => checkProvider({ ...checkedProvider(row, world), ...(row.given_by === "user" && { fetch }) });
};

/** A stored provider as it is tested. Throws `UnsealFailed`. */
export const checkedProvider = (row: ProviderRow, world: CredentialWorld): CheckedProvider => {
  const { kind, base_url, models, aliases, apis } = row;
  return {
    kind,
    baseUrl: base_url,
    models,
    aliases,
    apis: apis ?? DEFAULT_APIS[kind],
    credential: providerCredential(row, world),
    maxBytes: world.config.upstream.answer_bytes,
  };
};

/** What a provider's credential is made of. */
export type CredentialWorld = Pick<Sealing, "unseal"> & {
  readonly config: Config;
  readonly environment: Environment;
};

/** What authenticates the hub at a stored provider. */
const providerCredential = (
  { kind, id, sealed_key, credential, given_by }: ProviderRow,
  { config, unseal, environment }: CredentialWorld,
): Credential =>
  openCredential({
    kind,
    credential,
    environment,
    now: systemClock,
    secret: sealed_key === null ? null : unseal(keyPurpose(id), sealed_key),
    given: given_by === "user" ? providerFetch(config) : plainFetch,
    known: plainFetch,
  });

type ConnectionWorld = CredentialWorld & {
  readonly log: Log;
  readonly store: { readonly providers: Pick<ProviderStore, "noteBreaker"> };
  readonly processId: string;
};

/** Tells operators, and commands beside this process, how the breakers of providers change. */
const breakerNotes = ({ log, store, processId }: ConnectionWorld) => {
  const open = new Set<string>();
  // One after the other: the last word on a breaker is the one that stays.
  let last = Promise.resolve();
  const write = (id: string, reading: BreakerReading) => {
    last = last
      .then(() => store.providers.noteBreaker(processId, id, reading))
      .catch((error: unknown) => log.warn("provider.breaker_not_noted", causeOf(error)));
  };
  return {
    changed: ({ id, name }: ProviderRow, reading: BreakerReading) => {
      const { state, cause, failures } = reading;
      log.warn("provider.breaker", { provider: name, state, cause, failures });
      if (state === "closed") open.delete(id);
      else open.add(id);
      write(id, reading);
    },
    /** A provider that was changed begins anew. */
    begun: ({ id }: ProviderRow, breaker: Breaker) => {
      if (open.delete(id)) write(id, breaker.read());
    },
  };
};

/** Makes stored providers callable. */
export const providerConnector = (world: ConnectionWorld): HubInputs["connect"] => {
  const { config } = world;
  const { connect_ms, first_byte_ms, answer_bytes } = config.upstream;
  const reachability = new Reachability(connect_ms, systemClock);
  const guarded = providerFetch(config);
  const notes = breakerNotes(world);
  return (row) => {
    const { name, kind, aliases, models, priority, apis } = row;
    const breaker = new Breaker({ now: systemClock, onChange: (reading) => notes.changed(row, reading) });
    notes.begun(row, breaker);
    const upstream = new ProviderUpstream({
      name,
      kind,
      aliases,
      breaker,
      reachability,
      baseUrl: row.base_url,
      credential: providerCredential(row, world),
      firstByteMs: first_byte_ms,
      answerBytes: answer_bytes,
      guarded: row.given_by === "user" ? guarded : undefined,
    });
    return {
      name,
      priority,
      aliases,
      breaker,
      upstream,
      models: [...new Set([...models, ...Object.keys(aliases)])],
      apis: new Set(apis ?? DEFAULT_APIS[kind]),
    };
  };
};

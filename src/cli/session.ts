import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { HubInputs, HubParts } from "#app";
import { configuredPrices } from "#config/prices";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine } from "#core/command-line";
import { contentHash } from "#guard/content/hub-secret";
import { labelSecret } from "#guard/redaction-labels";
import { type Clock, systemClock } from "#platform/clock";
import { isLocked } from "#platform/data-directory";
import type { KeyedHash } from "#platform/hash";
import { type Ids, systemIds } from "#platform/ids";
import type { MasterKeys } from "#platform/master-keys";
import type { Sealing } from "#platform/sealing";
import { CliExit, EXIT } from "./exit";
import { assertSharedKey, type HubStore, openHubStore } from "./hub-store";
import { masterKeysOf, sealingWith } from "./sealing";
import type { Invocation } from "./verb";

/** How often a command asks whether every serving process has taken its change in. Milliseconds. */
const POLL_MS = 25;
/**
 * How long it asks. A process that has not said so by then is not held for live any more, or has not heard of the database
 * for so long that it refuses calls. Milliseconds.
 */
const PATIENCE_MS = 15_000;
/** After that people are told what is waited for. Milliseconds. */
const SAYS_AFTER_MS = 2_000;

/** What a command works with: the store and the use cases over it. */
export type CliSession = {
  /** Those that need nothing but the store, the keys, the time and ids. */
  readonly parts: HubParts;
  /** The same inputs for `commandParts`: what the hub's parts are made of, as far as every command has it. */
  readonly inputs: Sealing &
    Pick<HubInputs, "configuredPrices"> & { readonly store: HubStore; readonly now: Clock; readonly ids: Ids };
  readonly store: HubStore;
  readonly access: HubParts["accessService"];
  readonly seal: Sealing["seal"];
  /** How kept content and the values of tuning rules are compared. */
  readonly contentHash: () => Promise<KeyedHash>;
  /** What redaction labels are made under. */
  readonly labelSecret: () => Promise<Uint8Array>;
  /** Opens a secret sealed with the master key; throws `UnsealFailed`. */
  readonly unseal: Sealing["unseal"];
  /** Read on first use, so that commands without secrets need none. */
  readonly keys: MasterKeys;
};

const hasData = (dataDir: string): boolean => existsSync(resolve(dataDir, "guardhouse.db"));

/** For commands that only look, and changes of what must be there already. */
export const requireData = (dataDir: string): void => {
  if (!hasData(dataDir)) {
    const make = commandLine(COMMANDS.createAdmin());
    throw new CliExit(
      EXIT.notFound,
      `No data directory at ${resolve(dataDir)}. Name that of the hub with --data-dir DIR or --config FILE; ${make} creates a new one`,
    );
  }
};

/** Creates the data directory if there is none. The caller closes the session's store. */
export const openSession = async (config: Config): Promise<CliSession> => {
  const store = await openHubStore({ config, writer: "inline" });
  const keys = masterKeysOf(store.directory, config);
  try {
    await assertSharedKey(store, keys);
  } catch (error) {
    await store.close();
    throw error;
  }
  const sealing = sealingWith(keys);
  const inputs = { store, ...sealing, now: systemClock, ids: systemIds, configuredPrices: configuredPrices(config) };
  // The whole hub: not loaded by commands that open no data.
  const { commandParts } = await import("#app");
  const parts = commandParts(inputs, {
    writeRecord: (line) => store.audit.append(line),
    // The hub that runs takes changes in by itself, and `changing` waits for it.
    onChanged: async () => {},
    contained: async () => {},
  });
  return {
    parts,
    inputs,
    store,
    keys,
    ...sealing,
    access: parts.accessService,
    contentHash: () => contentHash({ secrets: store.secrets, ...sealing }),
    labelSecret: () => labelSecret({ secrets: store.secrets, ...sealing }),
  };
};

/** Looks at the data; nothing is made when there is none (exit code 9). */
export const reading = async <T>(invocation: Invocation, work: (session: CliSession) => Promise<T>): Promise<T> => {
  requireData(invocation.config().data_dir);
  const session = await openSession(invocation.config());
  try {
    return await work(session);
  } finally {
    await session.store.close();
  }
};

/**
 * Changes the data. Returns when a serving process, if there is one, has taken the change in: after
 * `token revoke` the token opens nothing any more.
 */
export const changing = async <T>(invocation: Invocation, work: (session: CliSession) => Promise<T>): Promise<T> => {
  requireData(invocation.config().data_dir);
  return changingOrBeginning(invocation, work);
};

/** The same for the first command of an installation, which makes the data directory and says where. */
export const changingOrBeginning = async <T>(
  invocation: Invocation,
  work: (session: CliSession) => Promise<T>,
): Promise<T> => {
  const dataDir = invocation.config().data_dir;
  if (!hasData(dataDir)) {
    await invocation.out.note(
      `Created a NEW DATA DIRECTORY at ${resolve(dataDir)}. A hub with another data directory does not use it: name that one with --data-dir DIR or --config FILE`,
    );
  }
  const session = await openSession(invocation.config());
  try {
    const before = await session.store.changes.revision();
    const result = await work(session);
    await untilTakenIn(session.store, before, invocation);
    return result;
  } finally {
    await session.store.close();
  }
};

/** Processes of other hubs too, where they share the store: this directory's may serve nothing. */
const untilTakenIn = async (store: HubStore, before: number, { out }: Invocation): Promise<void> => {
  const revision = await store.changes.revision();
  const isServed = isLocked(store.directory);
  if (revision === before || (!isServed && store.common === null)) return;
  const begun = performance.now();
  let hasSaid = false;
  for (;;) {
    const seen = await store.changes.acknowledged();
    if (seen === null && !isServed) return;
    if (seen !== null && seen >= revision) return;
    const waited = performance.now() - begun;
    if (waited > PATIENCE_MS) break;
    if (waited > SAYS_AFTER_MS && !hasSaid) {
      await out.note("The change is stored; waiting for every process of the hub to apply it");
      hasSaid = true;
    }
    await Bun.sleep(POLL_MS);
  }
  await out.note(
    `warning: the change is stored, but a process of the hub did not apply it within ${PATIENCE_MS / 1_000} s`,
  );
};

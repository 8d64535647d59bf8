import { readFileSync } from "node:fs";
import { COMMANDS, commandLine } from "#core/command-line";
import { LABEL_SECRET } from "#guard/redaction-labels";
import { KeyRotator, unopenable } from "#hub/key-rotation";
import { CLI_ACTOR } from "#model/change";
import { CONTENT_HMAC } from "#model/kept-content";
import { systemClock } from "#platform/clock";
import { isLocked, lockForKeys, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { type KeyChange, type MasterKeys, newMasterKey, parseMasterKey } from "#platform/master-keys";
import { keyIdOf, UnsealFailed } from "#platform/sealing";
import { CliExit, EXIT, usage } from "./exit";
import { type CliSession, openSession, requireData } from "./session";
import type { Invocation, RunVerb } from "./verb";

/** From sealing to writing a service takes a few milliseconds, more when it has to wait for the database. */
const LATE_WRITES_MS = 500;

const HOW_TO_HAND_IN = `the master key is supplied externally, so create the new one there: \
\`openssl rand -base64 32 > FILE\`, then \`${commandLine(COMMANDS.rotateKeysTo())}\``;

/** The key handed in, or null. The file may be shown in errors, never what is in it. */
const handedIn = ({ args }: Invocation): string | null => {
  const file = args.text("new-key-file");
  if (file === undefined) return null;
  const text = readFileSync(file, "utf8");
  parseMasterKey(text, `in ${file}`);
  return `${text.trim()}\n`;
};

/** Begins a change, or takes up the one that was cut off. */
const beginChange = (invocation: Invocation, { keys, store }: CliSession): KeyChange => {
  const next = handedIn(invocation);
  const begun = keys.change();
  if (begun) {
    if (next !== null && keyIdOf(parseMasterKey(next, "")) !== begun.to) {
      throw new CliExit(
        EXIT.failure,
        `The change to the master key ${begun.to} is not finished: ${whatIsLeft(keys, begun)}`,
      );
    }
    return begun;
  }
  if (keys.isUnsettled && isLocked(store.directory)) {
    throw new CliExit(
      EXIT.failure,
      "The last rotation of the master key is finished when the hub is restarted with the new key",
    );
  }
  keys.settle();
  if (next === null && keys.isGiven) throw usage(HOW_TO_HAND_IN);
  return keys.beginChange(next ?? newMasterKey());
};

const whatIsLeft = ({ isGiven }: MasterKeys, { to }: KeyChange): string =>
  isGiven
    ? `replace the old key of the hub by the new key ${to} and restart the hub; until then it reads the key from the data directory`
    : `run \`${commandLine(COMMANDS.rotateKeys())}\` without --new-key-file`;

/** With values nobody here can open the change would end with less than it began with, so the operator decides. */
const refuseUnopenable = async ({ store, keys }: CliSession): Promise<void> => {
  const lost = await unopenable(store.sealed, (id) => keys.has(id));
  if (lost.length === 0) return;
  const found = lost.map(({ place, key_id, values }) => `${values} in ${place} with ${key_id}`).join("; ");
  throw new CliExit(
    EXIT.integrity,
    `Values are encrypted with another master key than ${keys.idInForce()}: ${found}. Restore that key, or give those values up with --leave-closed`,
  );
};

/** Before the change, since an older hub derives its secret from the key that goes. */
const makeSecrets = async ({ contentHash, labelSecret, store }: CliSession, leavesClosed: boolean): Promise<void> => {
  const made = [
    { name: CONTENT_HMAC, make: contentHash },
    { name: LABEL_SECRET, make: labelSecret },
  ];
  for (const { name, make } of made) {
    try {
      await make();
    } catch (error) {
      if (!leavesClosed || !(error instanceof UnsealFailed)) throw error;
      // What was made with it can be compared no more; without a new secret the service would not start.
      await store.secrets.drop(name);
      await make();
    }
  }
};

const rotate = async (invocation: Invocation, session: CliSession): Promise<number> => {
  const { keys, store } = session;
  const leaves = invocation.args.on("leave-closed");
  if (!leaves) await refuseUnopenable(session);
  await makeSecrets(session, leaves);
  const change = beginChange(invocation, session);
  const { seal, unseal } = keys;
  const rotator = new KeyRotator({
    seal,
    unseal,
    values: store.sealed,
    now: systemClock,
    ids: systemIds,
    by: CLI_ACTOR,
  });
  // What a service sealed just before is let in, and sealed anew with the rest, rather than refused.
  if (isLocked(store.directory)) await Bun.sleep(LATE_WRITES_MS);
  await rotator.begin(change);
  const left = await rotator.reseal(change);
  if (left > 0 && !leaves) {
    throw new CliExit(
      EXIT.integrity,
      `${left} values encrypted with ${change.from} are damaged and cannot be decrypted; both keys stay. Give those values up with --leave-closed`,
    );
  }
  const replaced = await rotator.finish(change, left);
  keys.endChange(change);
  const todo = keys.isGiven ? whatIsLeft(keys, change) : null;
  const said = `The master key is now ${change.to}; ${replaced} values were re-encrypted.`;
  const copy = `Keep a copy of ${store.directory.masterKey} outside this machine: restoring backups needs it. Keep the old key as long as older backups.`;
  await invocation.out.result(
    { from_key: change.from, to_key: change.to, replaced, left, todo },
    todo === null ? `${said}\n${copy}` : `${said}\nNow ${todo}.`,
  );
  return EXIT.ok;
};

/** `keys rotate`: beside a running service too, which seals with the new key from the first moment on. */
export const rotateKeys: RunVerb = async (invocation) => {
  const config = invocation.config();
  requireData(config.data_dir);
  const lock = lockForKeys(openDataDirectory(config.data_dir));
  try {
    const session = await openSession(config);
    try {
      return await rotate(invocation, session);
    } finally {
      await session.store.close();
    }
  } finally {
    lock.release();
  }
};

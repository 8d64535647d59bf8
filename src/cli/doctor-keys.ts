import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { unopenable } from "#hub/key-rotation";
import { type Check, fail, ok, warn } from "./check";
import { messageOf } from "./failures";
import type { CliSession } from "./session";

type InspectedData = Pick<CliSession, "store" | "keys">;

const SHOWN_FILES = 5;
const OPEN_TO_OTHERS = 0o077;

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, "0");

/** Everything below the data directory that others may look into. */
const openFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & OPEN_TO_OTHERS) !== 0);

/** The data directory is its owner's alone, and so is every file in it. */
export const permissions = (path: string): Check[] => {
  const { mode, uid } = statSync(path);
  if (process.getuid && process.getuid() !== 0 && process.getuid() !== uid) {
    return [warn("permissions", `${path} belongs to another user`, `run as its owner, or chown ${path}`)];
  }
  const checks: Check[] = [];
  if (mode & OPEN_TO_OTHERS) {
    checks.push(warn("permissions", `${path} is open to others (${octal(mode)})`, `chmod 700 ${path}`));
  }
  const files = openFiles(path);
  if (files.length > 0) {
    const more = files.length > SHOWN_FILES ? ` and ${files.length - SHOWN_FILES} more` : "";
    const finding = `open to others: ${files.slice(0, SHOWN_FILES).join(", ")}${more}`;
    checks.push(warn("permissions", finding, `chmod -R u=rwX,go= ${path}`));
  }
  return checks.length > 0 ? checks : [ok("permissions", `${path} (${octal(mode)}), and every file in it`)];
};

const masterKey = ({ keys, store }: InspectedData, hub: HubPlace): Check => {
  const id = keys.idInForce();
  if (id === null) return ok("master key", "none yet; created with the first secret");
  const change = keys.change();
  if (change) {
    const finding = `rotation from ${change.from} to ${change.to} is not finished`;
    const rotate = commandLine(COMMANDS.rotateKeys(), hub);
    const given = `${rotate} again; then start the hub with the new key`;
    return warn("master key", finding, keys.isGiven ? given : `${rotate} finishes it`);
  }
  if (keys.isUnsettled)
    return warn(
      "master key",
      `${id} is configured; a copy is still in ${store.directory.nextMasterKey}`,
      "restart the hub",
    );
  if (keys.isGiven) return ok("master key", `${id}, from the configuration`);
  return ok("master key", `${id}, in the data directory; keep a copy elsewhere: restoring backups needs it`);
};

const sealedValues = async ({ store, keys }: InspectedData): Promise<Check> => {
  const lost = await unopenable(store.sealed, (id) => keys.has(id));
  if (lost.length === 0) return ok("encrypted values", "all keys are available");
  const finding = lost.map(({ place, key_id, values }) => `${values} in ${place} encrypted with ${key_id}`).join("; ");
  return fail(
    "encrypted values",
    `${finding}, which is missing`,
    "restore that master key: the values cannot be decrypted without it",
  );
};

export const keyChecks = async (session: InspectedData, hub: HubPlace): Promise<Check[]> => {
  try {
    return [masterKey(session, hub), await sealedValues(session)];
  } catch (error) {
    const advice = "restore the right key: secrets cannot be decrypted without it";
    return [fail("master key", messageOf(error), advice)];
  }
};

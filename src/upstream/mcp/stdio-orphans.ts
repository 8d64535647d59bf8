import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "#core/json/json";
import { causeOf, type Log } from "#platform/log";
import { isGroup, signalGroup, startOf } from "./stdio-group.ts";

/*
 * Child processes outlive a hub that was killed (SIGKILL, out of memory). Each therefore leaves a file, named by its
 * process number, for the next hub to find.
 */

export type ChildNote = {
  readonly pgid: number;
  /** As `startOf` gave it. Null where it could not be known: such a process is never killed. */
  readonly start: string | null;
  readonly program: string;
  readonly serverId: string;
};

/** Returns how to take the note back. Throws when the directory cannot be written to. */
export const leaveNote = (directory: string, note: ChildNote): (() => void) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const file = join(directory, String(note.pgid));
  // Gone first: the mode is given to new files only.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(note), { mode: 0o600, flag: "wx" });
  return () => rmSync(file, { force: true });
};

/**
 * Kills what a killed hub left behind, and forgets it. Call it before the first server is started, and only while
 * holding the lock of the data directory, or of the node whose notes they are: those of a process that still runs are about
 * living servers. Returns how many
 * process groups were killed.
 */
export const sweepOrphans = (directory: string, log: Log): number => {
  let killed = 0;
  for (const name of notesIn(directory, log)) {
    const file = join(directory, name);
    try {
      if (sweep(name, parseJson(readFileSync(file, "utf8")), log)) killed += 1;
      rmSync(file, { force: true });
    } catch (error) {
      log.warn("stdio.sweep_failed", { pid: name, ...causeOf(error) });
    }
  }
  return killed;
};

const notesIn = (directory: string, log: Log): string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code, ...cause } = causeOf(error);
    if (code !== "ENOENT") log.warn("stdio.sweep_failed", { ...cause, code });
    return [];
  }
};

const sweep = (name: string, note: unknown, log: Log): boolean => {
  const known = childNote(name, note);
  if (known === null) {
    log.warn("stdio.sweep_unreadable", { pid: name });
    return false;
  }
  const { pgid, start, program, serverId } = known;
  const fields = { pid: pgid, program, server_id: serverId };
  if (start === null || start !== startOf(pgid)) {
    // The number may be another's by now. Without its leader nobody can tell whose the rest of a group is.
    if (signalGroup(pgid, 0)) log.warn("stdio.orphan_not_verified", fields);
    return false;
  }
  const killed = signalGroup(pgid, "SIGKILL");
  if (killed) log.warn("stdio.orphan_killed", fields);
  return killed;
};

const childNote = (name: string, value: unknown): ChildNote | null => {
  if (!isRecord(value)) return null;
  const { pgid, start, program, serverId } = value;
  // A number that is not the file's own was not written by us.
  if (!isGroup(pgid) || String(pgid) !== name) return null;
  if (typeof program !== "string" || typeof serverId !== "string") return null;
  return { pgid, start: typeof start === "string" ? start : null, program, serverId };
};

import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Setting, SettingSource } from "./sources";

/**
 * What the hub of a data directory serves with, or last served with: commands that are given no more than the directory
 * take these settings, so that a link has the hub's address and a receiver is allowed where the hub allows it. Secrets
 * are never in it. It is a note for commands only: `serve` does not read it.
 */
const FILE = "serving.json";

/** Belong to the process that serves, or go together with a secret that is not noted. */
const NOT_NOTED = /^(data_dir|log_level|bootstrap\..*|metrics\..*|otel\..*)$/;

/** A user's name and password may stand in a URL. */
const HOLDS_CREDENTIALS = /:\/\/[^/]*@/;

export type Served = {
  readonly settings: readonly Setting[];
  /** As callers reach it, with the port that was really taken. */
  readonly listen: string;
  readonly publicUrl: string;
};

const mayBeNoted = ({ key, value, origin }: Setting): boolean =>
  !key.secret &&
  origin !== "default" &&
  !NOT_NOTED.test(key.path) &&
  !HOLDS_CREDENTIALS.test(JSON.stringify(value) ?? "");

/** Notes it for the owner of the directory only; whole or not at all. */
export const noteServed = (dataDir: string, { settings, listen, publicUrl }: Served): void => {
  const noted = settings.filter(mayBeNoted).map(({ key, value }) => [key.path, value] as const);
  const all = { ...Object.fromEntries(noted), listen, public_url: publicUrl };
  const file = join(resolve(dataDir), FILE);
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ settings: all }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
};

/** The note as a source of settings; empty where there is none, or where it is not one of ours. */
export const fromServed = (dataDir: string): SettingSource => {
  const file = join(resolve(dataDir), FILE);
  try {
    const { settings } = Object(JSON.parse(readFileSync(file, "utf8")));
    const noted = Object.entries(Object(settings));
    return new Map(noted.map(([path, value]) => [path, { value, origin: file, raw: false }]));
  } catch {
    // No hub has served from there yet, or its note is damaged: the defaults hold, as without one.
    return new Map();
  }
};

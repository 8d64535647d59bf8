import { type CommandRules, rulingOnLine } from "#policy/commands/command-rules";
import { isStricter, type Permission } from "#policy/commands/permission";
import { commandsOf } from "#policy/commands/programs";
import type { ShellLine } from "#policy/commands/shell";
import { rulingOnFiles } from "#policy/files/command-files";
import { type Access, type FileRules, rulingOnPath, rulingOnPattern } from "#policy/files/file-rules";
import type { Place } from "#policy/files/paths";

/** A command line; null for one that is not written for a POSIX shell, or cannot be read. */
export type LocalCommand = {
  readonly line: string | null;
  /** The directory it is run in; null for where the agent is. */
  readonly from: string | null;
};

/** A file, or what a pattern of paths stands for. */
export type LocalFile = { readonly access: Access; readonly path: string; readonly isPattern?: true };

/** What a coding agent is about to do on its machine. */
export type LocalActs = {
  /** The directory that the agent is in, which relative patterns are of. */
  readonly place: Place;
  readonly commands: readonly LocalCommand[];
  readonly files: readonly LocalFile[];
};

export const ACT_KINDS = ["command", "file"] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** Flag types of what is not allowed. */
export const actType = (kind: ActKind) => `tool.${kind}_not_allowed` as const;

/** What a layer asks about or denies. */
export type LocalDenial = {
  readonly kind: ActKind;
  readonly permission: Exclude<Permission, "allow">;
  readonly layer: string;
  readonly rule: string;
};

type Said<T> = { readonly layer: string; readonly value: T };

/** The sections of all layers that speak of it. */
export type LocalRules = {
  readonly commands: readonly Said<CommandRules>[];
  readonly files: readonly Said<FileRules>[];
};

const UNREAD: ShellLine = { commands: [], values: [], isWhole: false };

/** What the layers ask about or deny of it, step by step. */
export const localDenials = function* (rules: LocalRules, acts: LocalActs): Generator<undefined, LocalDenial[]> {
  const denials: LocalDenial[] = [];
  const note = (kind: ActKind, layer: string, { permission, rule }: { permission: Permission; rule: string }) => {
    if (permission !== "allow") denials.push({ kind, layer, rule, permission });
  };
  if (rules.commands.length === 0 && rules.files.length === 0) return denials;
  for (const { line, from } of acts.commands) {
    const read = line === null ? UNREAD : commandsOf(line);
    for (const { layer, value } of rules.commands) note("command", layer, yield* rulingOnLine(value, read));
    const at = { place: acts.place, from };
    for (const { layer, value } of rules.files) note("file", layer, yield* rulingOnFiles(value, read, at));
  }
  for (const { access, path, isPattern } of acts.files) {
    yield;
    const rulingOn = isPattern ? rulingOnPattern : rulingOnPath;
    for (const { layer, value } of rules.files) note("file", layer, rulingOn(value, access, path, acts.place));
  }
  return denials;
};

/** The strictest of some; null for none. */
export const strictestDenial = (denials: readonly LocalDenial[]): LocalDenial | null =>
  denials.reduce<LocalDenial | null>(
    (most, one) => (most === null || isStricter(one.permission, most.permission) ? one : most),
    null,
  );

/** For a person. */
export const actWords = ({ kind, layer, rule, permission }: LocalDenial): string => {
  const what = rule.endsWith(".hosts")
    ? "the host this command names"
    : `this ${kind === "file" ? "file access" : "command"}`;
  const how = permission === "ask" ? "asks you to confirm" : "does not allow";
  const unread = rule.endsWith(".unread")
    ? " It could not be read whole, so the strictest rule holds: write it simpler."
    : "";
  return `Your organization's guard ${how} ${what} (${layer}, ${rule}).${unread}`;
};

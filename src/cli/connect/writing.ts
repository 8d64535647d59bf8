import { existsSync, rmSync } from "node:fs";
import { CliExit, EXIT } from "#cli/exit";
import type { Client, ClientFile, Contents, Entry, Places, Target } from "#clients/client";
import { edited, without } from "#clients/edit/edit";
import { Unreadable, Unwritable } from "#clients/edit/editor";
import {
  type Found,
  findFile,
  foldersMissing,
  hashOf,
  isBehindLink,
  isOpenToOthers,
  makeFolder,
  PRIVATE,
  removeFolders,
  replaceFile,
  textOfFile,
} from "./files";
import type { BackupStore, Written } from "./state";

/** What is done to a file. */
export type Action = "create" | "change" | "keep";

/** One file as it is to be. */
export type Planned = {
  readonly path: string;
  readonly action: Action;
  readonly isPrivate: boolean;
  readonly found: Found;
  readonly contents: Contents;
  readonly after: string;
};

const holdsToken = (contents: Contents, token: string): boolean => JSON.stringify(contents).includes(token);

/** What connecting a client would do. Changes nothing; throws where it could not be done. */
export const planOf = (client: Client, target: Target, places: Places, store: BackupStore): Planned[] => {
  const earlier = store.read()[client.id] ?? [];
  return client.files(target, places).map((file) => planned(file, target.token, places.home, earlier));
};

const planned = (file: ClientFile, token: string, home: string, earlier: readonly Written[]): Planned => {
  const { contents } = file;
  const path = file.paths.find((candidate) => existsSync(candidate)) ?? file.paths[0];
  const found = findFile(path);
  const isPrivate = holdsToken(contents, token);
  // Such links lead into folders that are shared and published.
  if (isPrivate && (found.isLink || isBehindLink(path, home))) {
    const what = found.isLink ? "is a link" : "is in a folder that is a link";
    throw new CliExit(EXIT.failure, `${path} ${what}, and would hold the token. Put a file in its place first`);
  }
  const before = textOfFile(found);
  const after = explained(path, () => {
    const known = earlier.find((record) => record.path === found.path);
    return edited(before !== null && known ? withoutOthers(before, contents, known) : before, contents);
  });
  const isChanged = after !== before || (isPrivate && isOpenToOthers(found.mode));
  const action = before === null ? "create" : isChanged ? "change" : "keep";
  return { path, action, isPrivate, found, contents, after };
};

/** Without items that were put in before and that the contents do not put in any more. */
const withoutOthers = (text: string, contents: Contents, known: Written): string => {
  const all = withEarlier(contents, known.contents);
  if ("text" in all || "text" in contents) return text;
  const entries = all.entries.filter((entry) => "item" in entry && !contents.entries.includes(entry));
  return without(text, { ...all, entries }, decoded(known.before));
};

/** An edit whose faults are said with the file they are in. */
const explained = <T>(path: string, edit: () => T): T => {
  try {
    return edit();
  } catch (cause) {
    if (cause instanceof Unreadable) {
      throw new CliExit(EXIT.failure, `${path} cannot be read: ${cause.message}. Nothing was changed`);
    }
    if (cause instanceof Unwritable) {
      throw new CliExit(
        EXIT.failure,
        `${path}: ${cause.message}. Nothing was changed. Write by hand what --print shows`,
      );
    }
    throw cause;
  }
};

/** Writes what was planned, all of it or nothing. */
export const write = (client: Client, plan: readonly Planned[], store: BackupStore): void => {
  const backup = store.read();
  const earlier = backup[client.id] ?? [];
  const work = plan.filter(({ action }) => action !== "keep");
  const records = work.map((file) => recordOf(file, earlier));
  for (const { found, path } of work) assertUnchanged(found, path);
  if (work.length === 0) return;
  const paths = new Set(records.map(({ path }) => path));
  const kept = earlier.filter(({ path }) => !paths.has(path));
  // First: what is written and not in the backup could not be undone.
  store.write({ ...backup, [client.id]: [...kept, ...records] });
  const done: Planned[] = [];
  const made: string[] = [];
  try {
    for (const file of work) {
      made.push(...makeFolder(file.found.path));
      replaceFile(file.found.path, file.after, file.isPrivate ? PRIVATE : (file.found.mode ?? PRIVATE));
      done.push(file);
    }
  } catch (cause) {
    for (const { found } of done) putBack(found.path, found.bytes, found.mode);
    removeFolders(made);
    store.write(backup);
    throw cause;
  }
};

/** What undoing has to know of a file; of one that was written before, what it was before that. */
const recordOf = ({ found, contents, after }: Planned, earlier: readonly Written[]): Written => {
  const { path, bytes, mode } = found;
  const known = earlier.find((record) => record.path === path);
  const folders = known?.folders ?? foldersMissing(path);
  const record = {
    path,
    after: hashOf(after),
    found: bytes && hashOf(bytes),
    folders,
    contents: withEarlier(contents, known?.contents),
  };
  const now = { before: bytes?.toString("base64") ?? null, mode };
  if (!known) {
    if (bytes !== null && "text" in contents) {
      throw new CliExit(EXIT.failure, `${path} is there, and not by \`connect\`. Move it away first`);
    }
    return { ...record, ...now };
  }
  if (bytes === null) return { ...record, ...now };
  if (isAsWritten(known, found)) return { ...record, before: known.before, mode: known.mode };
  if ("text" in contents) throw changedSince([path]);
  const text = textOfFile(found) ?? "";
  const before = explained(path, () => without(text, known.contents, decoded(known.before)));
  return { ...record, before: Buffer.from(before).toString("base64"), mode: known.mode };
};

/** With what was put in before and is not any more: it is still to be taken out. */
const withEarlier = (contents: Contents, earlier: Contents | undefined): Contents => {
  if ("text" in contents || earlier === undefined || "text" in earlier) return contents;
  const places = new Set(contents.entries.map(placeName));
  return {
    ...contents,
    entries: [...earlier.entries.filter((entry) => !places.has(placeName(entry))), ...contents.entries],
  };
};

/** By the same name an entry takes the place of another. */
const placeName = (entry: Entry): string => JSON.stringify([entry.at, "item" in entry ? entry.mark : null]);

const decoded = (bytes: string | null): string | null =>
  bytes === null ? null : Buffer.from(bytes, "base64").toString();

/** Nobody has written the file since it was read. */
const assertUnchanged = (found: Found, path: string): void => {
  const now = findFile(path).bytes;
  const isSame = now === null || found.bytes === null ? now === found.bytes : now.equals(found.bytes);
  if (!isSame) throw new CliExit(EXIT.failure, `${path} was changed by another program meanwhile. Try again`);
};

const putBack = (path: string, bytes: Buffer | null, mode: number | null): void => {
  if (bytes === null) rmSync(path, { force: true });
  else replaceFile(path, bytes, mode ?? PRIVATE);
};

const changedSince = (paths: readonly string[]): CliExit =>
  new CliExit(
    EXIT.failure,
    `${paths.join(", ")}: changed since \`connect\` wrote it. Nothing was changed. --undo --force takes out what \`connect\` wrote and keeps the rest`,
  );

/** Makes every file of a client what it was. Gives what was done to each. */
export const undo = (client: Client, store: BackupStore, force: boolean): { path: string; action: string }[] => {
  const backup = store.read();
  const records = backup[client.id] ?? [];
  if (records.length === 0) {
    throw new CliExit(EXIT.notFound, `\`connect ${client.id}\` has written nothing that could be undone`);
  }
  const files = records.map((record) => ({ record, found: findFile(record.path) }));
  const strange = files.filter(({ record, found }) => !isAsWritten(record, found)).map(({ record }) => record.path);
  if (strange.length > 0 && !force) throw changedSince(strange);
  const results = files.toReversed().map(({ record, found }) => ({ record, found, left: leftOf(record, found) }));
  const done = results.map(({ record, found, left }) => undoFile(record, found, left));
  const { [client.id]: _, ...others } = backup;
  store.write(others);
  return done;
};

const before = ({ before }: Written): Buffer | null => (before === null ? null : Buffer.from(before, "base64"));

const isAsWritten = (record: Written, { bytes }: Found): boolean => {
  if (bytes === null) return record.before === null;
  const hash = hashOf(bytes);
  return hash === record.after || hash === record.found || hash === hashOf(before(record) ?? "");
};

/** What a file is to be once what was put into it is taken out; null for none. */
const leftOf = (record: Written, found: Found): Buffer | null =>
  found.bytes === null || isAsWritten(record, found)
    ? before(record)
    : explained(record.path, () => rest(record, found));

const undoFile = (
  { path, mode, folders }: Written,
  found: Found,
  left: Buffer | null,
): { path: string; action: string } => {
  if (left !== null) makeFolder(path);
  putBack(path, left, mode);
  if (left === null) removeFolders(folders);
  return { path, action: left !== null ? "restored" : found.bytes === null ? "gone" : "removed" };
};

/** What is left of a changed file without what was put into it; null for nothing. */
const rest = (record: Written, found: Found): Buffer | null => {
  if ("text" in record.contents) return before(record);
  const left = without(textOfFile(found) ?? "", record.contents, decoded(record.before));
  const isEmpty = record.before === null && /^[\s{}[\]]*$/.test(left);
  return isEmpty ? null : Buffer.from(left);
};

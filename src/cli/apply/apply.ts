import { CliExit, EXIT, usage } from "#cli/exit";
import { messageOf } from "#cli/failures";
import { readTextFile } from "#cli/input";
import { type CliSession, changing, reading } from "#cli/session";
import { plain } from "#cli/table";
import type { Invocation, RunVerb } from "#cli/verb";
import { configurationSchema } from "#features/configuration/schema";
import { systemClock } from "#platform/clock";
import { type Documents, folderOf, readDocuments, type SourceFile, writeDocument } from "./document";
import type { Change } from "./kind";
import { KINDS } from "./kinds/index";
import { overtaken, type Plan, planOf, shownChange } from "./plan";
import { SecretNames, secretAt } from "./secrets";
import { type World, worldOf } from "./world";

type Shown = ReturnType<typeof shownChange>;

const filesOf = async (invocation: Invocation): Promise<SourceFile[]> => {
  const { args } = invocation;
  const names = [...args.texts("file"), ...args.allOperands];
  if (names.length === 0) throw usage("--file FILE is required");
  if (new Set(names).size < names.length) throw usage("a file is named twice");
  return Promise.all(names.map(async (file) => ({ file, text: await readTextFile(invocation, file) })));
};

/** Throws a usage `CliExit` with everything that is wrong, so that a file is not mended one fault at a time. */
const mustBeSound = (faults: readonly string[]): void => {
  if (faults.length === 0) return;
  const shown = faults.slice(0, MAX_FAULTS).map((fault) => `  ${plain(fault)}`);
  const more = faults.length > MAX_FAULTS ? [`  … and ${faults.length - MAX_FAULTS} more`] : [];
  throw usage(`Nothing was changed:\n${[...shown, ...more].join("\n")}`);
};

const MAX_FAULTS = 50;

/** An empty file, or none with users, is sooner a mistake than the wish to remove what it had. */
const forgotten = (files: readonly SourceFile[], { sections }: Documents): string[] => {
  const full = new Set([...sections.values()].flat().map(({ file }) => file));
  const empty = files.filter(({ file }) => !full.has(file));
  const hasUsers = (sections.get("users") ?? []).length > 0;
  return [
    ...empty.map(({ file }) => `${file}: has no object; --prune removes what it had with --force alone`),
    ...(hasUsers ? [] : ["no file has [[users]]; --prune disables everybody with --force alone"]),
  ];
};

const planned = async (
  world: World,
  files: readonly SourceFile[],
  { args, environment }: Invocation,
): Promise<Plan> => {
  const documents = readDocuments(files, KINDS, (email) => world.people.spelled(email));
  mustBeSound(documents.faults);
  if (args.on("prune") && !args.on("force")) mustBeSound(forgotten(files, documents));
  const plan = await planOf(KINDS, world, documents, {
    prune: args.on("prune"),
    now: systemClock(),
    secretAt: (reference, file) => secretAt(reference, environment, folderOf(file)),
  });
  mustBeSound(plan.faults);
  const late = args.on("force") ? [] : await overtaken(world, documents, plan.changes);
  if (late.length === 0) return plan;
  const shown = late.map((one) => `  ${plain(one)}`).join("\n");
  const advice = "Export again and merge, use --force, or remove etag where the file is the truth.";
  throw new CliExit(EXIT.failure, `Nothing was changed. Changed since the file was exported:\n${shown}\n${advice}`);
};

/** One after the other. A failure says what was done before: the rest follows when the file is applied again. */
const carryOut = async (world: World, changes: readonly Change[]): Promise<Shown[]> => {
  const done: Shown[] = [];
  for (const change of changes) {
    try {
      done.push(shownChange(change, await change.run(world)));
    } catch (error) {
      const place = change.file === null ? "" : `${change.file}: `;
      const before = done.map((one) => `\n  ${plain(`${one.action} ${one.kind} ${one.name}: ${one.state}`)}`).join("");
      const rest = `Done before:${before === "" ? " nothing." : before}\nMend it and apply the file again: what is done stays done.`;
      throw new CliExit(EXIT.failure, `${place}${change.kind} ${plain(change.name)}: ${messageOf(error)}\n${rest}`);
    }
  }
  return done;
};

const valueText = (value: unknown): string => (value === null ? "nothing" : plain(JSON.stringify(value)));

const linesOf = ({ action, kind, name, state, fields = [] }: Shown): string[] => [
  `${action.padEnd(6)}  ${plain(`${kind} ${name}`)}${state === "awaiting approval" ? ": awaiting approval" : ""}`,
  ...fields.map(({ field, before, after }) => `          ${plain(field)}: ${valueText(before)} → ${valueText(after)}`),
];

const report = async (
  { out }: Invocation,
  { notes }: Plan,
  changes: readonly Shown[],
  isDry: boolean,
): Promise<void> => {
  for (const note of notes) await out.note(`note: ${note}`);
  const waiting = changes.filter(({ state }) => state === "awaiting approval").length;
  const counted = `${changes.length} ${changes.length === 1 ? "difference" : "differences"}`;
  const end = isDry ? `${counted}; nothing was changed.` : `${counted}, ${waiting} awaiting approval.`;
  const text = changes.length === 0 ? ["No differences."] : [...changes.flatMap(linesOf), end];
  await out.result({ changes }, text.join("\n"));
};

/** `apply`: makes the configuration what files say. */
export const apply: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  if (args.on("schema")) {
    await out.write(configurationSchema());
    return EXIT.ok;
  }
  const files = await filesOf(invocation);
  if (args.on("dry-run")) return trial(invocation, files);
  const { plan, done } = await changing(invocation, async (session) => {
    const world = await worldOf(session, invocation);
    const plan = await planned(world, files, invocation);
    return { plan, done: await carryOut(world, plan.changes) };
  });
  await report(invocation, plan, done, false);
  return EXIT.ok;
};

const trial = async (invocation: Invocation, files: readonly SourceFile[]): Promise<number> => {
  const plan = await reading(invocation, async (session) =>
    planned(await worldOf(session, invocation), files, invocation),
  );
  const shown = plan.changes.map((change) => shownChange(change, "planned"));
  await report(invocation, plan, shown, true);
  return shown.length === 0 ? EXIT.ok : EXIT.differs;
};

const exportedBy = async (session: CliSession, invocation: Invocation): Promise<string> => {
  // Before anything is read: what is changed meanwhile is newer than the file.
  const etag = await session.store.changes.revision();
  const world = await worldOf(session, invocation);
  const names = new SecretNames();
  const sections = new Map<string, readonly unknown[]>();
  for (const kind of KINDS) sections.set(kind.section, await kind.exported(world, names));
  return writeDocument(etag, sections);
};

/** `export config`: the configuration as a file, without any secret. */
export const exportConfig: RunVerb = async (invocation) => {
  const text = await reading(invocation, (session) => exportedBy(session, invocation));
  if (invocation.out.json) await invocation.out.result({ configuration: text }, text);
  else await invocation.out.write(text);
  return EXIT.ok;
};

import { resolve } from "node:path";
import type { Client, Places, Target } from "#clients/client";
import { CONNECTED } from "#clients/clients";
import { textOf } from "#clients/example";
import type { Environment } from "#config/environment";
import { COMMANDS, commandLine } from "#core/command-line";
import { suggestionFor } from "#core/nearest";
import { CLIENT_VARIABLES } from "#model/client-variables";
import { checksOf } from "./connect/check";
import { makeFolder, replaceFile } from "./connect/files";
import { hubOf, modelIn, modelsOf } from "./connect/hub";
import { placesOf, stateFolder } from "./connect/places";
import { BackupStore } from "./connect/state";
import { planOf, undo, write } from "./connect/writing";
import { EXIT, usage } from "./exit";
import type { Invocation, RunVerb } from "./verb";

const MODES = ["print", "undo", "check", "managed"] as const;
/** What stands for the token where one would be shown. */
const MASKED = "gw-live-…";

/** `connect`: points a client at the hub in its own settings, shows what that would be, proves it, or takes it back. */
export const connect: RunVerb = async (invocation) => {
  const { args } = invocation;
  const client = clientOf(args.needOperand(0));
  const [mode, second] = MODES.filter((flag) => args.on(flag));
  if (second) throw usage(`--${mode} and --${second} do not go together`);
  if (args.on("force") && mode !== "undo") throw usage("--force is for --undo");
  for (const flag of ["out", "command"]) {
    if (args.text(flag) !== undefined && mode !== "managed") throw usage(`--${flag} is for --managed`);
  }
  if (mode === "undo") return undoIt(invocation, client);
  const places = placesOf(invocation.environment, process.platform);
  const hub = hubOf(invocation.environment);
  const models = await modelsOf(hub);
  const guardhouse = mode === "managed" ? managedCommand(args.text("command")) : ownCommand(invocation.environment);
  const target = { ...hub, models, model: modelIn(models, args.text("model")), guardhouse };
  if (mode === "managed") return manage(invocation, client, target);
  if (mode === "check") return check(invocation, client, target, places);
  if (mode === "print") return print(invocation, client, target, places);
  return writeIt(invocation, client, target, places);
};

const clientOf = (id: string): Client => {
  const client = CONNECTED.find((one) => one.id === id);
  const ids = CONNECTED.map((one) => one.id);
  if (!client) throw usage(`no client ${id}${suggestionFor(id, ids)}: one of ${ids.join(", ")}`);
  return client;
};

const PROGRAM = "guardhouse";
/** Where it is on the machines of a fleet, unless said otherwise. */
const INSTALLED = "/usr/local/bin/guardhouse";

/** How managed hooks start this program: by its place, since a name is whatever is first on the user's own `PATH`. */
const managedCommand = (place: string = INSTALLED): string => {
  if (!/^(?:\/|[A-Za-z]:[\\/])[\w/.:\\+() -]*$/.test(place)) {
    throw usage("--command: an absolute path of letters, digits, blanks and `/\\.:_+-()`");
  }
  return /[ ()]/.test(place) ? `"${place}"` : place;
};

/** How hooks start this program: by its name where that is found, which lasts over updates; else by its place. */
const ownCommand = ({ PATH = "" }: Environment): string => {
  if (!Bun.isStandaloneExecutable || Bun.which(PROGRAM, { PATH }) !== null) return PROGRAM;
  return /^[\w/.:\\+-]+$/.test(process.execPath) ? process.execPath : JSON.stringify(process.execPath);
};

const storeOf = (places: Places): BackupStore => new BackupStore(stateFolder(places));

const writeIt = async ({ out }: Invocation, client: Client, target: Target, places: Places): Promise<number> => {
  const store = storeOf(places);
  const plan = store.exclusively(() => {
    const made = planOf(client, target, places, store);
    write(client, made, store);
    return made;
  });
  const verbs = { create: "created", change: "changed", keep: "unchanged" };
  const files = plan.map(({ path, action }) => ({ path, action: verbs[action] }));
  const lines = [
    ...files.map(({ path, action }) => `${action.padEnd(9)}  ${path}`),
    "",
    `Token: ${client.token}.`,
    ...byHand(client, target),
    `${client.use ?? `Start ${client.label} where ${CLIENT_VARIABLES.token} is set`}. Try it: ${commandLine(COMMANDS.checkClient(client.id))}`,
  ];
  await out.result({ client: client.id, files, by_hand: client.byHand?.(masked(target)) ?? null }, lines.join("\n"));
  return EXIT.ok;
};

const masked = (target: Target): Target => ({ ...target, token: MASKED });

const byHand = (client: Client, target: Target): string[] => {
  const hand = client.byHand?.(masked(target));
  return hand ? [`By hand, in ${hand.place}:`, ...hand.text.split("\n").map((line) => `  ${line}`)] : [];
};

const print = async ({ out }: Invocation, client: Client, target: Target, places: Places): Promise<number> => {
  const store = storeOf(places);
  const actions = planOf(client, target, places, store).map(({ action, path }) => ({ action, path }));
  const shown = client.files(masked(target), places).map(({ contents }) => textOf(contents));
  const files = actions.map((file, index) => ({ ...file, text: shown[index] ?? "" }));
  const blocks = files.map(({ path, action, text }) => `# ${path} (${action})\n${text}`);
  const hand = byHand(client, target);
  await out.result(
    { client: client.id, files, by_hand: client.byHand?.(masked(target)) ?? null },
    [...blocks, ...(hand.length > 0 ? [hand.join("\n")] : [])].join("\n\n"),
  );
  return EXIT.ok;
};

const undoIt = async ({ args, out, environment }: Invocation, client: Client): Promise<number> => {
  const store = storeOf(placesOf(environment, process.platform));
  const files = store.exclusively(() => undo(client, store, args.on("force")));
  await out.result(
    { client: client.id, files },
    files.map(({ action, path }) => `${action.padEnd(8)}  ${path}`).join("\n"),
  );
  return EXIT.ok;
};

const check = async (
  { out, environment }: Invocation,
  client: Client,
  target: Target,
  places: Places,
): Promise<number> => {
  const store = storeOf(places);
  const plan = () => planOf(client, target, places, store);
  const checks = await checksOf({ client, target, plan, environment });
  const ok = checks.every((one) => one.ok);
  const rows = checks.map((one) => `${one.ok ? "ok    " : "FAILED"}  ${one.check.padEnd(8)}  ${one.seen}`);
  await out.result({ client: client.id, ok, checks }, rows.join("\n"));
  return ok ? EXIT.ok : EXIT.failure;
};

const manage = async ({ args, out }: Invocation, client: Client, target: Target): Promise<number> => {
  const managed = client.managed?.(target);
  if (!managed) {
    const able = CONNECTED.filter((one) => one.managed).map(({ id }) => id);
    throw usage(`--managed: ${client.label} has no such files; one of ${able.join(", ")}`);
  }
  const files = managed.map(({ name, places, contents }) => ({ name, places, text: `${textOf(contents)}\n` }));
  const folder = args.text("out");
  if (folder !== undefined) {
    for (const { name, text } of files) {
      const path = resolve(folder, name);
      makeFolder(path);
      replaceFile(path, text, 0o644);
    }
  }
  const blocks = files.map(({ name, places, text }) => {
    const where = [...new Set(Object.values(places))].map((place) => `# ${place}`);
    return folder === undefined ? [...where, text].join("\n") : [resolve(folder, name), ...where].join("\n");
  });
  await out.result({ client: client.id, files }, blocks.join("\n"));
  return EXIT.ok;
};

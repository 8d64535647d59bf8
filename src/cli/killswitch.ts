import type { KillSwitchService } from "#features/restrictions/kill-switches";
import type { KillSwitchResponse } from "#features/restrictions/schema";
import { CLI_ACTOR } from "#model/change";
import { KILL_LEVELS, type KillLevel } from "#policy/restrictions/restriction";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { RunVerb } from "./verb";

const killSwitchesOf = ({ parts }: CliSession): KillSwitchService => parts.killSwitchService;

const levelIn = (text: string): KillLevel => {
  const level = KILL_LEVELS.find((one) => one === text);
  if (level === undefined) throw usage(`--level: one of ${KILL_LEVELS.join(", ")}, got "${text}"`);
  return level;
};

export const switchOn: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const level = levelIn(args.text("level") ?? "all");
  const target = args.text("target") ?? null;
  if ((level === "all") !== (target === null)) {
    throw usage(level === "all" ? "--target needs a --level" : `--target is needed: which ${level}?`);
  }
  const reason = args.need("reason");
  const made = await changing(invocation, (session) =>
    killSwitchesOf(session).on(CLI_ACTOR, { level, target, reason }),
  );
  await out.result(made, card({ id: made.id, level, target: made.target, reason: made.reason, since: made.set_at }));
  return EXIT.ok;
};

/** Without a choice: the one that is on, or the one for everything. */
const chosen = (on: readonly KillSwitchResponse[], all: boolean): readonly KillSwitchResponse[] => {
  if (all || on.length <= 1) return on;
  const everything = on.filter(({ level }) => level === "all");
  if (everything.length === 0) throw usage(`${on.length} kill switches are active: choose with --id ID or --all`);
  return everything;
};

export const switchOff: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const id = args.text("id");
  if (id !== undefined && args.on("all")) throw usage("--id or --all, not both");
  const reason = args.text("reason") ?? "deactivated on the command line";
  const lifted = await changing(invocation, async (session) => {
    const service = killSwitchesOf(session);
    if (id !== undefined) return [await service.off(CLI_ACTOR, id, reason)];
    const on = (await service.list()).filter((one) => one.on);
    const done: KillSwitchResponse[] = [];
    for (const one of chosen(on, args.on("all"))) done.push(await service.off(CLI_ACTOR, one.id, reason));
    return done;
  });
  const lines = lifted.map(
    ({ id: off, level, target }) => `${off} deactivated: ${[level, target ?? ""].join(" ").trim()}`,
  );
  await out.result(lifted, lines.length === 0 ? "No active kill switch." : lines.join("\n"));
  return EXIT.ok;
};

export const switchStatus: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const all = await reading(invocation, (session) => killSwitchesOf(session).list());
  const shown = args.on("all") ? all : all.filter(({ on }) => on);
  const rows = shown.map((one) => [
    one.id,
    one.on ? "on" : "off",
    one.level,
    one.target ?? "-",
    shortTime(Date.parse(one.set_at)),
    one.contained ? "everywhere" : one.receipts.map(({ point }) => point).join(", ") || "nowhere yet",
    one.reason,
  ]);
  const headings = ["ID", "STATE", "LEVEL", "TARGET", "SINCE (UTC)", "HOLDS", "REASON"];
  await out.result(shown, rows.length === 0 ? "No active kill switch." : out.table(headings, rows));
  return EXIT.ok;
};

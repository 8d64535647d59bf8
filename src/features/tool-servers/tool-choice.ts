import { GuardError } from "#core/errors";
import { awaitsApproval, pinState, type ToolPin, type ToolServer } from "#model/tools/tool";
import { invalid } from "./checks";

/** Names in one message: enough to find the right one. */
const MAX_NAMED = 50;
/** Names are a stranger's, and messages end up in terminals. */
const HARMLESS = /^[\x21-\x7e]{1,128}$/;

/** A tool to approve: by its own or its public name, and with the hash of the definition that was read. */
export type WantedTools = {
  readonly tool: string;
  /** Null for whatever its server says now. */
  readonly hash: string | null;
};

/** The tool of that own name, else of that public name. Throws `not_found`, naming what there is. */
export const pinNamed = ({ slug }: ToolServer, pins: readonly ToolPin[], name: string): ToolPin => {
  const pin = pins.find(({ tool }) => tool === name) ?? pins.find((one) => one.name === name);
  if (pin) return pin;
  const known = pins.map(({ tool }) => tool).filter((tool) => HARMLESS.test(tool));
  const more = known.length > MAX_NAMED ? " …" : "";
  const what = known.length === 0 ? "nothing is known of its tools" : `it has ${known.slice(0, MAX_NAMED).join(", ")}`;
  throw new GuardError("not_found", `${slug} has no such tool; ${what}${more}`, { param: "tools" });
};

/**
 * What to approve of a server: the tools named, or all that wait for it. Throws `not_found`; `stale_base` for a tool
 * that is no longer what was read; `invalid_value` for one that nobody can approve.
 */
export const toApprove = (
  server: ToolServer,
  pins: readonly ToolPin[],
  wanted: readonly WantedTools[] | null,
): readonly ToolPin[] => {
  if (wanted === null) return pins.filter(awaitsApproval);
  const chosen = wanted.map(({ tool, hash }) => {
    const pin = pinNamed(server, pins, tool);
    if (hash !== null && hash !== pin.seen_hash) throw stale();
    if (pin.refused) throw invalid("tools", `name ${pin.name}, which has hidden characters and cannot be approved`);
    return pin;
  });
  return [...new Set(chosen)].filter((pin) => pinState(pin) !== "approved");
};

export const stale = (): GuardError =>
  new GuardError("stale_base", "A tool's definition has changed. Read it again, then decide.", {
    param: "tools",
  });

/**
 * The own names of tools to assign, by own or public names. While nothing is known of a server they are taken as
 * they are: it may be down today. Throws `not_found`, `invalid_value`.
 */
export const toAssign = (server: ToolServer, pins: readonly ToolPin[], names: readonly string[]): string[] => {
  const given = names.map((name) => name.trim()).filter((name) => name !== "");
  if (given.length === 0) throw invalid("tools", "must name at least one tool, or be left out for all of them");
  if (given.some((name) => name.length > 256 || /\p{Cc}/u.test(name)))
    throw invalid("tools", "hold a name that is none");
  const own = (name: string): string => {
    if (pins.length > 0) return pinNamed(server, pins, name).tool;
    const prefix = `${server.slug}__`;
    return name.startsWith(prefix) ? name.slice(prefix.length) : name;
  };
  return [...new Set(given.map(own))];
};

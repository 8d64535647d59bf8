import { GuardError } from "#core/errors";
import { serverUri } from "#model/tools/resource-uri";
import {
  awaitsApproval,
  type PinKind,
  pinState,
  type ToolAssignment,
  type ToolPin,
  type ToolServer,
} from "#model/tools/tool";
import { invalid } from "./checks";

/** Names in one message: enough to find the right one. */
const MAX_NAMED = 50;
/** UTF-16 units. */
const MAX_PATTERN = 1_000;
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
  const chosen = wanted.flatMap(({ tool, hash }) => {
    const named = pinNamed(server, pins, tool);
    // A prompt may have the name of a tool.
    const same = pins.filter((pin) => pin.tool === named.tool && (hash === null || pin.seen_hash === hash));
    if (same.length === 0) throw stale();
    return same;
  });
  for (const pin of chosen) {
    if (pin.refused) throw invalid("tools", `name ${pin.name}, which has hidden characters and cannot be approved`);
  }
  return [...new Set(chosen)].filter((pin) => pinState(pin) !== "approved");
};

export const stale = (): GuardError =>
  new GuardError("stale_base", "A tool's definition has changed. Read it again, then decide.", {
    param: "tools",
  });

/** What an agent is to use of a server. What is left out is not given; where all is, all tools are. */
export type WantedAssignment = {
  /** Null for all of them; an empty list for none. */
  readonly tools?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
};

/** Throws `not_found`, `invalid_value`. */
export const toAssign = (
  server: ToolServer,
  pins: readonly ToolPin[],
  { tools, resources = [], prompts = [] }: WantedAssignment,
): Pick<ToolAssignment, "tools" | "resources" | "prompts"> => {
  const isAllMeant = tools === null || (tools === undefined && resources.length + prompts.length === 0);
  return {
    tools: isAllMeant ? null : toolsOf(server, pins, tools ?? []),
    resources: goodPatterns(resources),
    prompts: prompts.includes("*")
      ? ["*"]
      : prompts.length === 0
        ? []
        : ownNames(server, ofKind(pins, "prompt"), prompts),
  };
};

const toolsOf = (server: ToolServer, pins: readonly ToolPin[], tools: readonly string[]): string[] =>
  tools.length === 0 ? [] : ownNames(server, ofKind(pins, "tool"), tools);

const ofKind = (pins: readonly ToolPin[], kind: PinKind): readonly ToolPin[] => pins.filter((pin) => pin.kind === kind);

/** Patterns of the server's own URIs; the hub's are taken too. Throws `invalid_value`. */
const goodPatterns = (patterns: readonly string[]): string[] => {
  const given = patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
  if (given.some((pattern) => pattern.length > MAX_PATTERN || /\p{Cc}/u.test(pattern))) {
    throw invalid("resources", `hold a pattern that is none, or longer than ${MAX_PATTERN} characters`);
  }
  return [...new Set(given.map((pattern) => serverUri(pattern)?.uri ?? pattern))];
};

/**
 * The own names of tools or prompts to assign, by own or public names. While nothing is known of a server they are taken
 * as they are: it may be down today. Throws `not_found`, `invalid_value`.
 */
const ownNames = (server: ToolServer, pins: readonly ToolPin[], names: readonly string[]): string[] => {
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

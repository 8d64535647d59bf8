import { matchesGlob } from "#core/glob";
import { isHostAllowed, READING_SERVER_TOOLS, type ServerTool } from "#model/server-tools";
import { isOwnTool } from "#model/tools/own-tools";
import { mayMeet } from "#model/tools/resource-uri";
import type { OfferKind } from "#model/tools/tool-scope";
import type { ToolEffect } from "#policy/review/questionnaire";
import type { Effective } from "./effective";

/** Who says no, and by which rule. */
export type Denial = { readonly layer: string; readonly rule: string };

/**
 * Whether a denial is only put on record: its layer is the profile, and that is in monitor mode. What other layers say
 * holds all the same.
 */
export const isWatched = (
  { mode, profile_version }: Pick<Effective, "mode" | "profile_version">,
  { layer }: Pick<Denial, "layer">,
): boolean => mode === "monitor" && layer === `profile v${profile_version}`;

/** Who says that a model may not be used, layer by layer; nobody when it may. */
export const modelDenials = ({ models }: Pick<Effective, "models">, model: string): readonly Denial[] =>
  models.flatMap(({ layer, value }) => {
    if (value.deny?.some((glob) => matchesGlob(glob, model))) return [{ layer, rule: "models.deny" }];
    const isAllowed = value.allow?.some((glob) => matchesGlob(glob, model)) ?? true;
    return isAllowed ? NONE : [{ layer, rule: "models.allow" }];
  });

/**
 * The same of a tool. A name is `server__tool`, or that of a function of the agent's own. The hub's own tools need no
 * layer's permission, unless one forbids them by name: they reach nothing that is not permitted itself.
 */
export const toolDenials = (
  { tools, effects }: Pick<Effective, "tools" | "effects">,
  name: string,
): readonly Denial[] =>
  tools.flatMap(({ layer, value }) => {
    if (value.deny && names(value.deny, name)) return [{ layer, rule: "tools.deny" }];
    if (isOwnTool(name)) return NONE;
    if (value.allow && !names(value.allow, name)) return [{ layer, rule: "tools.allow" }];
    if (value.read_only && acts(effects, name)) return [{ layer, rule: "tools.read_only" }];
    return NONE;
  });

/**
 * The same of a prompt, by its public name, or of a resource or template, by its public URI. A restriction of all tools of
 * a server holds for what else it offers.
 */
export const offerDenials = (
  { offers, tools }: Pick<Effective, "offers" | "tools">,
  { kind, slug, name }: { readonly kind: OfferKind; readonly slug: string; readonly name: string },
): readonly Denial[] => {
  const own = offers.flatMap(({ layer, value }) => {
    if (kind === "prompt") return names(value.prompts, name) ? NONE : [{ layer, rule: "prompts" }];
    const isMet = kind === "resource" ? matchesGlob : mayMeet;
    return value.resources.some((pattern) => isMet(pattern, name)) ? NONE : [{ layer, rule: "resources" }];
  });
  const restricted = tools.flatMap(({ layer, value }) =>
    value.deny && names(value.deny, `${slug}__`) ? [{ layer, rule: "tools.deny" }] : NONE,
  );
  return [...own, ...restricted];
};

/** The same of a tool that runs at the provider: the profile lists it, and no restriction forbids it. */
export const serverToolDenials = (
  { server_tools, tools }: Pick<Effective, "server_tools" | "tools">,
  { type, host }: ServerTool,
): readonly Denial[] => {
  const own = server_tools.flatMap(({ layer, value }) => {
    if (!value.allow.includes(type)) return [{ layer, rule: "server_tools.allow" }];
    const isReached = type !== "mcp" || isHostAllowed(value.mcp_hosts, host ?? "");
    return isReached ? NONE : [{ layer, rule: "server_tools.mcp_hosts" }];
  });
  const restricted = tools.flatMap(({ layer, value }) => {
    if (value.deny && names(value.deny, type)) return [{ layer, rule: "tools.deny" }];
    return value.read_only && !READING_SERVER_TOOLS.has(type) ? [{ layer, rule: "tools.read_only" }] : NONE;
  });
  return [...own, ...restricted];
};

/** Who wants a person to approve each call of the tool. */
export const humansNeeded = ({ require_human }: Pick<Effective, "require_human">, name: string): readonly Denial[] =>
  require_human.flatMap(({ layer, value }) => (names(value, name) ? [{ layer, rule: "tools.require_human" }] : NONE));

/** Of some denials the first that holds; null when all are only watched. */
export const holdingOf = (
  effective: Pick<Effective, "mode" | "profile_version">,
  denials: readonly Denial[],
): Denial | null => denials.find((denial) => !isWatched(effective, denial)) ?? null;

const NONE: readonly Denial[] = [];

/** What the tool can do, as declared; null for one that was not. */
export const effectOf = (effects: Effective["effects"], name: string): ToolEffect | null =>
  own(effects, name) ?? own(effects, `${serverOf(name)}__*`) ?? own(effects, "*");

/** Whether a call of it changes something: what was not declared might. */
export const acts = (effects: Effective["effects"], name: string): boolean => effectOf(effects, name) !== "read";

/** What a tool's approved definition says of itself. */
export type EffectHints = { readonly readOnlyHint?: unknown; readonly destructiveHint?: unknown };

/**
 * The same where the tool's definition has a say: it can make a tool that was declared to read one that acts, never
 * the other way round, since a server says it of itself.
 */
export const actsAs = (effects: Effective["effects"], name: string, hints: EffectHints | null): boolean =>
  acts(effects, name) || hints?.readOnlyHint === false || hints?.destructiveHint === true;

/** Names, `server__*` for all of a server, `*` for all. */
export const names = (patterns: readonly string[], name: string): boolean =>
  patterns.includes(name) || patterns.includes("*") || patterns.includes(`${serverOf(name)}__*`);

const serverOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf("__")));

const own = (effects: Effective["effects"], name: string): ToolEffect | null =>
  Object.hasOwn(effects, name) ? (effects[name] ?? null) : null;

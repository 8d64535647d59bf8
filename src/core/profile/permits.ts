import { matchesGlob } from "#core/glob";
import type { Effect } from "#core/review/questionnaire";
import type { Effective, Said } from "./effective";

/** Who says no, and by which rule. */
export type Denial = { readonly layer: string; readonly rule: string };

/** Why a model may not be used; null when it may. */
export const modelDenial = ({ models }: Pick<Effective, "models">, model: string): Denial | null => {
  for (const { layer, value } of models) {
    if (value.deny?.some((glob) => matchesGlob(glob, model))) return { layer, rule: "models.deny" };
    if (value.allow && !value.allow.some((glob) => matchesGlob(glob, model))) return { layer, rule: "models.allow" };
  }
  return null;
};

/**
 * Why a tool may not be used; null when it may. A name is `server__tool`, or that of a function of the agent's own.
 * `hidden-by` order: the first layer that says no.
 */
export const toolDenial = ({ tools, effects }: Pick<Effective, "tools" | "effects">, name: string): Denial | null => {
  for (const { layer, value } of tools) {
    if (value.deny && names(value.deny, name)) return { layer, rule: "tools.deny" };
    if (value.allow && !names(value.allow, name)) return { layer, rule: "tools.allow" };
    if (value.read_only && effectOf(effects, name) !== "read") return { layer, rule: "tools.read_only" };
  }
  return null;
};

/** Who wants a person to approve each call of the tool; null for nobody. */
export const humanNeeded = ({ require_human }: Pick<Effective, "require_human">, name: string): Denial | null => {
  const said = require_human.find(({ value }: Said<readonly string[]>) => names(value, name));
  return said ? { layer: said.layer, rule: "tools.require_human" } : null;
};

/** What the tool can do, as declared; null for one that was not. */
export const effectOf = (effects: Effective["effects"], name: string): Effect | null =>
  own(effects, name) ?? own(effects, `${serverOf(name)}__*`) ?? own(effects, "*");

/** Whether a call of it changes something: what was not declared might. */
export const acts = (effects: Effective["effects"], name: string): boolean => effectOf(effects, name) !== "read";

/** Names, `server__*` for all of a server, `*` for all. */
export const names = (patterns: readonly string[], name: string): boolean =>
  patterns.includes(name) || patterns.includes("*") || patterns.includes(`${serverOf(name)}__*`);

const serverOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf("__")));

const own = (effects: Effective["effects"], name: string): Effect | null =>
  Object.hasOwn(effects, name) ? (effects[name] ?? null) : null;

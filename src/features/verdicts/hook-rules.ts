import { canonicalJson } from "#core/json/json";
import { type Static, Type } from "#core/schema";
import type { Rules } from "#guard/enforcement/policy-resolver";
import { sha256Hex } from "#platform/hash";
import type { Effective } from "#policy/profile/effective";
import { ProfileCommands, ProfileFiles } from "#policy/profile/local-rules";
import type { ToolEffect } from "#policy/review/questionnaire";

const said = <T extends Parameters<typeof Type.Array>[0]>(value: T) =>
  Type.Array(Type.Object({ layer: Type.String(), value }));
const Names = Type.Array(Type.String());
const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));

/** What a hook decides by while the hub cannot be reached. */
export const HookRules = Type.Object(
  {
    hash: Type.String({ description: "SHA-256 of the rules; answers of hooks carry it as `x-guard-hook-rules`." }),
    offline_minutes: Type.Integer({ description: "How long they hold after the hub last confirmed them." }),
    profile_version: Type.Union([Type.Integer(), Type.Null()]),
    mode: oneOf(["enforce", "monitor", "off"]),
    commands: said(ProfileCommands),
    files: said(ProfileFiles),
    tools: said(
      Type.Object({
        allow: Type.Optional(Names),
        deny: Type.Optional(Names),
        read_only: Type.Optional(Type.Boolean()),
      }),
    ),
    effects: Type.Record(Type.String(), Type.Unsafe<ToolEffect>(Type.String())),
    require_human: said(Names),
  },
  { $id: "HookRules" },
);
export type HookRules = Static<typeof HookRules>;

/** The header of an answer to a hook that says which rules are in force. */
export const HOOK_RULES_HEADER = "x-guard-hook-rules";

/** The rules of each caller, made once. */
export class HookRulesOf {
  private readonly made = new WeakMap<Effective, HookRules>();

  /** Null where a hook may decide nothing by itself. */
  of({ effective }: Pick<Rules, "effective">): HookRules | null {
    if (effective.hooks.value.offline_minutes === 0) return null;
    const known = this.made.get(effective) ?? made(effective);
    this.made.set(effective, known);
    return known;
  }
}

const made = (effective: Effective): HookRules => {
  const { profile_version, mode, commands, files, tools, effects, require_human, hooks } = effective;
  const text = canonicalJson({
    offline_minutes: hooks.value.offline_minutes,
    ...{ profile_version, mode, commands, files, tools, effects, require_human },
  });
  const rules: Omit<HookRules, "hash"> = JSON.parse(text);
  return { hash: sha256Hex(text), ...rules };
};

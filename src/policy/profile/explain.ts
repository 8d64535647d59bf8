import { BASELINE, type PolicyRule } from "#scan/policy";
import type { Bounds, Effective, Said } from "./effective";

/** One value an agent is held to, and the layer that says it. Where several layers speak of one field, all hold. */
export type Explained = { readonly field: string; readonly value: unknown; readonly from: string };

/** All an agent is held to, value by value. What nobody says anything about is left out. */
export const explain = (effective: Effective): Explained[] => {
  const { models, tools, require_human, max_output_tokens, limits, watched_limits, budgets } = effective;
  return [
    ...fieldOf("fail_mode", effective.fail_mode),
    ...fieldOf("block_response", effective.block_response),
    ...models.flatMap(({ layer, value }) => parts("models", value, layer)),
    ...fieldOf("models.max_output_tokens", max_output_tokens),
    ...tools.flatMap(({ layer, value }) => parts("tools", value, layer)),
    ...effective.server_tools.flatMap(({ layer, value }) => parts("server_tools", value, layer)),
    ...effective.offers.flatMap(({ layer, value }) => parts("tool_servers", value, layer)),
    ...effective.commands.flatMap(({ layer, value }) => parts("commands", value, layer)),
    ...effective.files.flatMap(({ layer, value: { read, write } }) => [
      ...parts("files.read", read, layer),
      ...parts("files.write", write, layer),
    ]),
    ...parts("hooks", effective.hooks.value, effective.hooks.layer),
    ...fieldOf("provider_state", effective.provider_state),
    ...require_human.flatMap((said) => fieldOf("tools.require_human", said)),
    ...fieldOf("tools.tainted_arguments", effective.tainted_arguments),
    ...(effective.tainted_values
      ? parts("tools.tainted_values", effective.tainted_values.value, effective.tainted_values.layer)
      : []),
    ...boundsOf("limits", limits),
    ...(watched_limits ? boundsOf("watched_limits", watched_limits) : []),
    ...budgets.map(({ layer, value }) => ({
      ...{ field: `limits.usd_per_${value.period}`, value: value.limit_usd, from: layer },
    })),
    ...rulesOf(effective),
  ];
};

const fieldOf = (field: string, said: Said<unknown> | null): Explained[] =>
  said === null ? [] : [{ field, value: said.value, from: said.layer }];

const parts = (field: string, value: object, from: string): Explained[] =>
  Object.entries(value).map(([name, part]) => ({ field: `${field}.${name}`, value: part, from }));

const boundsOf = (field: string, bounds: Bounds): Explained[] =>
  Object.entries(bounds).flatMap(([name, said]) => fieldOf(`${field}.${name}`, said));

/** Rules about what is found, by flag type. */
const rulesOf = ({ policy }: Effective): Explained[] => {
  const { name = BASELINE, rules, above = [], url_allow } = policy;
  const explained = [{ name, rules }, ...above].flatMap((layer) =>
    layer.rules.map((rule) => ({ field: `detectors.${rule.type}`, value: shown(rule), from: layer.name })),
  );
  return url_allow === undefined
    ? explained
    : [...explained, { field: "egress.url_allow", value: url_allow, from: name }];
};

const shown = ({ type: _type, ...rest }: PolicyRule): Omit<PolicyRule, "type"> => rest;

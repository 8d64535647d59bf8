import { type Stored, said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { GuardError } from "#core/errors";
import type { Static } from "#core/schema";
import { PAGERDUTY_URL } from "#features/alerts/formats/pagerduty";
import { isBuiltIn } from "#features/alerts/rules";
import { openSecret } from "#features/alerts/telling";
import { AlertRuleEntry, DestinationEntry } from "#features/configuration/schema";
import { type AlertRule, DEFAULT_RULES } from "#model/alert";
import { agentKey } from "./agents";
import { signingSecret } from "./signing";

type Destination = Static<typeof DestinationEntry>;

const usualPort = ({ security }: Destination): number => (security === "tls" ? 465 : 587);

const bad = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

/** What the service takes of it. */
const reachedBy = ({ name: _, kind: __, active: ___, signing: ____, ...reached }: Destination) => reached;

export const destinations = planned({
  kind: "alert destination",
  section: "alert_destinations",
  schema: DestinationEntry,
  nameOf: ({ name }) => name,
  normal: (entry) => {
    const url =
      entry.url !== undefined && URL.canParse(entry.url) && !/^(env|file):/.test(entry.url)
        ? new URL(entry.url).href
        : entry.url;
    return said(
      { ...entry, url },
      {
        active: true,
        security: "starttls",
        port: usualPort(entry),
        ...(entry.kind === "pagerduty" && { url: PAGERDUTY_URL }),
      },
    );
  },
  check: ({ kind, signing }) => {
    if (kind === "webhook") signingSecret("signing", signing);
    else if (signing !== undefined) throw bad("signing", "signing is for webhook.");
  },
  fixed: ["kind", "signing"],
  kept: ["signing"],
  stored: async ({ store, unseal }) =>
    (await store.alerts.destinations()).map((one) => {
      const { id, name, kind, active, settings } = one;
      const { host, to, ...mail } = settings;
      const reached = kind === "email" ? { host, ...mail, ...(to !== undefined && { to: [...to] }) } : {};
      return { id, entry: said({ name, kind, active, ...reached, ...openSecret(one, { unseal }) }) };
    }),
  create: async ({ by, parts }, entry) => {
    const { name, kind, active = true, signing } = entry;
    const wanted = { name, kind, ...reachedBy(entry) };
    const secret = kind === "webhook" ? signingSecret("signing", signing) : undefined;
    const made = await parts.alertDestinationService.create(by, wanted, secret);
    if (!active) await parts.alertDestinationService.change(by, made.id, { active });
  },
  change: async ({ by, parts }, { id, entry: before }, entry, fields) => {
    const { active = true } = entry;
    if (before.username !== undefined && entry.username === undefined) {
      throw bad("username", "username and password cannot be taken away; remove the destination first.");
    }
    const isReached = [...fields].some((field) => field !== "active");
    const mail = { security: "starttls", port: usualPort(entry) } as const;
    const reached = { ...(entry.kind === "email" && mail), ...reachedBy(entry) };
    await parts.alertDestinationService.change(by, id, {
      ...(fields.has("active") && { active }),
      ...(isReached && reached),
    });
  },
  remove: async ({ by, parts }, { id }) => {
    await parts.alertDestinationService.remove(by, id);
  },
});

type Rule = Static<typeof AlertRuleEntry>;

/** What a rule is where nothing else is said: the built-in one of its id, or of its kind. */
const usualOf = ({ id, kind }: { readonly id?: string | undefined; readonly kind: Rule["kind"] }): AlertRule => {
  const usual = DEFAULT_RULES.find((rule) => (id === undefined ? rule.kind === kind : rule.id === id));
  if (usual !== undefined) return usual;
  throw bad("id", `There is no built-in rule ${id ?? kind}.`);
};

const partsOf = async ({ people, store }: World, { id, kind, agent, owner, destinations, ...parts }: Rule) => {
  const { id: _id, kind: _kind, ...usual } = usualOf({ id, kind });
  const about = agent === undefined || owner === undefined ? null : await people.agent({ agent, owner });
  const all = destinations === undefined ? [] : await store.alerts.destinations();
  const told = destinations?.map((name) => {
    const found = all.find((one) => one.name === name);
    if (found !== undefined) return found.id;
    throw bad("destinations", `There is no alert destination ${name}.`);
  });
  return { ...usual, ...parts, agent_id: about?.id ?? null, destinations: told ?? null };
};

const shownRule = (world: World, rule: AlertRule, names: ReadonlyMap<string, string>): Stored<Rule> => {
  const { id, agent_id, destinations, ...parts } = rule;
  return {
    id,
    entry: {
      ...(isBuiltIn(id) && { id }),
      ...parts,
      ...(agent_id !== null && world.people.agentOf(agent_id)),
      ...(destinations !== null && { destinations: destinations.map((one) => names.get(one) ?? one) }),
    },
  };
};

/** Built-in ones are in a file as far as they were changed; one that is removed is as it came again. */
export const alertRules = planned({
  kind: "alert rule",
  section: "alert_rules",
  schema: AlertRuleEntry,
  nameOf: ({ id, name }) => id ?? name,
  normal: (entry) => {
    const { id: _id, kind: _kind, name, ...usual } = usualOf(entry);
    return said(entry, { ...usual, ...(entry.id !== undefined && { name: undefined }) });
  },
  fixed: ["kind"],
  references: ({ agent, owner, destinations = [] }) => [
    ...(agent === undefined || owner === undefined ? [] : [{ kind: "agent", name: agentKey({ agent, owner }) }]),
    ...destinations.map((name) => ({ kind: "alert destination", name })),
  ],
  stored: async (world) => {
    const names = new Map((await world.store.alerts.destinations()).map(({ id, name }) => [id, name]));
    return (await world.store.alerts.rules()).map((rule) => shownRule(world, rule, names));
  },
  create: async (world, entry) => {
    const { by, parts } = world;
    const wanted = await partsOf(world, entry);
    if (entry.id !== undefined) await parts.alertRuleService.change(by, entry.id, wanted);
    else await parts.alertRuleService.create(by, { kind: entry.kind, ...wanted });
  },
  change: async (world, { id }, entry) => {
    await world.parts.alertRuleService.change(world.by, id, await partsOf(world, entry));
  },
  remove: async ({ by, parts }, { id }) => {
    await parts.alertRuleService.remove(by, id);
  },
});

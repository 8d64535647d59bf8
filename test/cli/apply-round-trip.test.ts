import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { canonicalJson, isRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

setDefaultTimeout(300_000);

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const words = fc.stringMatching(/^[A-Za-zäß"'#=. ]{0,20}$/).map((text) => `a${text}z`);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const money = fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100);
const unique = <T>(entry: fc.Arbitrary<T>, keyOf: (entry: T) => unknown, max = 3) =>
  fc.uniqueArray(entry, { selector: (one) => canonicalJson(keyOf(one)), maxLength: max });

const providers = unique(
  fc.record({
    name,
    base_url: name.map((host) => `https://${host}.example.org/v1`),
    models: fc.uniqueArray(
      name.map((model) => `${model}-*`),
      { minLength: 1, maxLength: 3 },
    ),
    priority: maybe(fc.integer({ min: 0, max: 99 })),
    aliases: maybe(fc.dictionary(name, name, { minKeys: 1, maxKeys: 2 })),
    given_by: maybe(fc.constant("user")),
    hasKey: fc.boolean(),
  }),
  (one) => one.name,
).map((all) =>
  all.map(({ hasKey, ...one }) => ({
    ...one,
    ...(hasKey && { api_key: `env:PROVIDER_${one.name.toUpperCase()}_API_KEY` }),
  })),
);

/** Lower than those of the default policy: what loosens awaits approval. */
const score = fc.integer({ min: 1, max: 10 }).map((hundredth) => hundredth / 100);

/** A configuration in the form of files, whose objects name only each other. */
const configuration = fc
  .record({
    people: unique(
      fc.record({ at: name, name: maybe(words), role: maybe(fc.constantFrom("reviewer", "auditor")) }),
      ({ at }) => at,
      4,
    ),
    providers,
    agents: unique(
      fc.record({ name, who: fc.nat(), description: maybe(words), suspended: maybe(fc.constant(true)) }),
      (one) => one.name,
    ),
    prices: unique(
      fc.record({ model: name, input: money, output: money, reasoning: maybe(money) }),
      ({ model }) => model,
    ),
    limits: fc.record({ hub: maybe(money), agent: maybe(money), user: maybe(money) }),
    webhooks: unique(
      fc.record({ at: name, description: maybe(words), active: maybe(fc.constant(false)) }),
      ({ at }) => at,
      2,
    ),
    rules: unique(
      fc.record({ type: fc.constantFrom("pii.email", "pii.credit_card", "pii.iban"), block: score }),
      ({ type }) => type,
    ),
    denied: maybe(fc.uniqueArray(name, { minLength: 1, maxLength: 3 })),
    chat: fc.boolean(),
    threshold: maybe(fc.integer({ min: 21, max: 99 })),
  })
  .map(({ people, agents, limits, webhooks, rules, denied, chat, threshold, ...same }) => {
    const users = [
      { email: "root@example.org", role: "admin" },
      ...people.map(({ at, ...one }) => ({ email: `${at}@example.com`, ...one })),
    ];
    const owned = agents.map(({ who, ...one }) => ({ ...one, owner: users[who % users.length]?.email ?? "" }));
    const [first] = owned;
    const of = first && { agent: first.name, owner: first.owner };
    const budgets = [
      ...(limits.hub === undefined ? [] : [{ period: "month", limit_usd: limits.hub }]),
      ...(limits.agent === undefined || !of ? [] : [{ period: "day", ...of, limit_usd: limits.agent }]),
      ...(limits.user === undefined ? [] : [{ period: "week", user: "root@example.org", limit_usd: limits.user }]),
    ];
    const restricted =
      denied && of
        ? [
            {
              ...of,
              kind: "tool_restricted",
              params: { tools_deny: denied },
              reason: "test",
              expires_at: "2099-01-01T00:00:00.000Z",
            },
          ]
        : [];
    const told = chat ? [{ name: "chat", kind: "slack", url: "env:ALERT_DESTINATION_CHAT_URL" }] : [];
    const rule = { id: "block-rate", name: "Many calls are blocked", kind: "block_rate", threshold };
    return {
      users,
      agents: owned,
      budgets,
      restrictions: restricted,
      webhooks: webhooks.map(({ at, ...one }) => ({
        url: `https://${at}.example.org/in`,
        events: ["report.*"],
        secret: `env:WEBHOOK_HTTPS_${at.toUpperCase()}_EXAMPLE_ORG_IN_SECRET`,
        ...one,
      })),
      alert_destinations: told,
      alert_rules: threshold === undefined ? [] : [{ ...rule, ...(chat && { destinations: ["chat"] }) }],
      ...(rules.length > 0 && {
        policy: {
          rules: rules.map(({ type, block }) => ({
            type,
            origins: ["user"],
            thresholds: { flag: 0.01, redact: 0.01, block },
          })),
        },
      }),
      ...same,
    };
  });

/** Each section as a set of objects, without empty ones. */
const asSets = (value: unknown): unknown => {
  const { etag: _, ...sections } = isRecord(value) ? value : {};
  const sets = Object.entries(sections).flatMap(([section, entries]) => {
    const all = Array.isArray(entries) ? entries : isRecord(entries) ? entries["rules"] : [];
    return Array.isArray(all) && all.length > 0
      ? [[section, all.map((one) => canonicalJson(one)).sort()] as const]
      : [];
  });
  return Object.fromEntries(sets);
};

const secretsOf = (toml: string): Record<string, string> =>
  Object.fromEntries(
    [...toml.matchAll(/"env:(\w+)"/g)].map(([, variable = ""]) => {
      if (variable.startsWith("WEBHOOK"))
        return [variable, `whsec_${Buffer.alloc(32, variable.length).toString("base64")}`];
      return [variable, variable.endsWith("_URL") ? "https://chat.example.org/in" : `sk-${variable}`];
    }),
  );

test("whatever is applied, its export says the same, and applied again changes nothing", async () => {
  verifies("apply.round-trip", "apply.idempotent");
  await fc.assert(
    fc.asyncProperty(configuration, async (said) => {
      await using bench = await Workbench.create();
      await bench.json("admin", "create", "root@example.org");
      const toml = stringify(said);
      const file = await bench.file(toml);
      const as = ["--as", "root@example.org"];
      const run = await bench.run(["apply", "-f", file, ...as], { env: secretsOf(toml) });
      expect([run.stderr, run.code]).toEqual(["", 0]);
      const exported = (await bench.run(["export", "config"])).stdout;
      expect(asSets(Bun.TOML.parse(exported))).toEqual(asSets(Bun.TOML.parse(toml)));
      const again = await bench.json("apply", "-f", await bench.file(exported), ...as, "--prune");
      expect(again).toEqual({ changes: [] });
    }),
    { numRuns: 15 },
  );
});

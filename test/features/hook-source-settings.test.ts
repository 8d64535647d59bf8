import { expect, test } from "bun:test";
import { configuredSources, sourcesIn } from "#config/hook-sources";
import { ConfigError, loadConfig } from "#config/load";
import { verifies } from "#test/support/verifies";

const SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const SAID = { name: "seats", kind: "anthropic", user: "ada@example.com", secret_env: "SECRET" };

const read = (said: readonly object[], more: Readonly<Record<string, string>> = { SECRET }) => {
  const environment = { GUARDHOUSE_HOOKS__SOURCE: JSON.stringify(said), ...more };
  const { config } = loadConfig({ environment });
  return { config, environment, sources: () => configuredSources(config, environment) };
};

test("sources of the configuration have their secret from a variable or a file, and defaults by kind", async () => {
  verifies("verdicts.source-settings");
  const [source] = read([SAID]).sources();
  expect(source).toEqual({
    ...{ name: "seats", kind: "anthropic", user: "ada@example.com", agent: null, secrets: [SECRET] },
    settings: { applications: {}, redact: "deny", budget_ms: 4_500 },
  });
  const file = `${import.meta.dir}/../../package.json`;
  const { secret_env: _, ...filed } = SAID;
  expect(read([{ ...filed, kind: "copilot-studio", secret_file: file }]).sources).toThrow(ConfigError);
});

test("a source without a secret, of nobody, or named twice stops the start, and says nothing of secrets", () => {
  verifies("verdicts.source-settings");
  const { user: _user, ...nobody } = SAID;
  const { secret_env: _secret, ...without } = SAID;
  const faults: readonly (readonly [said: readonly object[], secret: string, problem: string])[] = [
    [[SAID], "", "no secret is in SECRET"],
    [[SAID], "plain-secret-of-mine", "whsec_"],
    [[SAID], `${SECRET} ${SECRET} ${SECRET}`, "more than 2"],
    [[nobody], SECRET, "user or an agent"],
    [[{ ...nobody, agent: "Claude seats" }], SECRET, "give its id"],
    [[{ ...SAID, kind: "copilot-studio" }], "fifteen-letters", "shorter than 16"],
    [[without], SECRET, "secret_env or secret_file"],
    [[{ ...SAID, secret_file: "x" }], SECRET, "not both"],
    [[{ ...without, secret_file: "/nowhere/at/all" }], SECRET, "cannot be read"],
    [[SAID, SAID], SECRET, "two have the name"],
  ];
  for (const [said, secret, problem] of faults) {
    const { config, environment, sources } = read(said, { SECRET: secret });
    expect(sources).toThrow(problem);
    const { problems } = sourcesIn(config, environment);
    expect(problems.join()).not.toContain(secret || "nothing");
  }
  for (const wrong of [{ kind: "litellm" }, { name: "Bad Name" }, { budget_ms: 1 }, { unknown: 1 }]) {
    expect(() => read([{ ...SAID, ...wrong }])).toThrow(ConfigError);
  }
});

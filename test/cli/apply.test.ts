import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isRecord } from "#core/json/json";
import { Shape } from "#core/schema";
import { ConfigurationFile } from "#features/configuration/schema";
import { answers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";
import { SECRETS, WEBHOOK_SECRET, WHOLE } from "./apply-file";
import { type Fields, text, Workbench } from "./workbench";

setDefaultTimeout(120_000);

const ROOT = "root@example.org";
const AS = ["--as", ROOT];

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench[Symbol.asyncDispose]());

const parsed = (toml: string): Fields => {
  const value: unknown = Bun.TOML.parse(toml);
  return isRecord(value) ? value : {};
};

/** What a file says, whatever revision it was exported at. */
const saidBy = (toml: string): Fields => {
  const { etag: _, ...said } = parsed(toml);
  return said;
};

const exported = async (of = bench): Promise<string> => (await of.run(["export", "config"])).stdout;

const changesOf = (result: Fields): unknown[] => {
  const { changes } = result;
  return Array.isArray(changes) ? changes.map((one) => `${one.action} ${one.kind} ${one.name}: ${one.state}`) : [];
};

const applied = async (file: string, ...flags: string[]): Promise<unknown[]> =>
  changesOf(await bench.jsonWith({ env: SECRETS }, "apply", "-f", file, ...AS, ...flags));

const refused = async (...args: readonly string[]): Promise<[code: number, stderr: string]> => {
  const { code, stderr } = await bench.run(args, { env: SECRETS });
  return [code, stderr];
};

const first = async (at: Workbench): Promise<void> => {
  await at.json("admin", "create", ROOT);
};

const fresh = async (): Promise<Workbench> => {
  const other = await Workbench.create();
  await first(other);
  return other;
};

describe("a whole configuration", () => {
  test("is in force after apply, and exported it is the same file; twice changes nothing", async () => {
    verifies("apply.kinds", "apply.idempotent", "apply.round-trip", "apply.recorded", "apply.secrets");
    await first(bench);
    const file = await bench.file(WHOLE);
    const trial = await bench.run(["apply", "-f", file, ...AS, "--dry-run"], { env: SECRETS });
    expect(trial.code).toBe(11);
    expect(trial.stdout).toContain("create  provider openai\n");
    expect(await bench.list("provider", "list")).toEqual([]);
    expect(await applied(file)).toHaveLength(16);
    expect(await applied(file)).toEqual([]);
    expect((await bench.run(["apply", "-f", file, ...AS, "--dry-run"], { env: SECRETS })).code).toBe(0);

    const toml = await exported();
    expect(saidBy(toml)).toEqual(saidBy(WHOLE));
    // Neither the export nor anything else printed has a secret.
    for (const secret of Object.values(SECRETS)) expect(bench.timesPrinted(secret)).toBe(0);
    // Whose references are not set leaves what is stored.
    const again = await bench.file(toml);
    expect(changesOf(await bench.json("apply", "-f", again))).toEqual([]);

    const records = (await bench.list("audit", "tail", "--lines", "500")).map((record) => Object(record));
    const changed = records
      .filter(({ change }) => change !== undefined)
      .map(({ actor, kind }) => `${actor.via} ${kind}`);
    // The first revision of the policy is the configuration's own.
    expect(changed.filter((one) => !one.startsWith("apply"))).toEqual(["system policy.adopt", "cli user.create"]);
    expect(changed).toContain("apply tool_server.assign");
  });

  test("rebuilds another hub, with its secrets", async () => {
    verifies("apply.round-trip");
    await using other = await Workbench.create();
    const toml = await exported();
    await other.run(["admin", "create", ROOT]);
    const { code, stderr } = await other.run(["apply", "-f", await other.file(toml), ...AS], { env: SECRETS });
    expect([code, stderr]).toEqual([0, ""]);
    expect(saidBy(await exported(other))).toEqual(saidBy(toml));
  });

  test("a profile goes with it: what narrows is published, what widens awaits approval", async () => {
    verifies("apply.approval");
    const owner = ["--owner", "eve@example.org"];
    const given = answers({ ownership: { sponsor: ROOT } });
    await bench.json(
      "agent",
      "submit",
      "desk",
      "--answers",
      await bench.file(JSON.stringify(given)),
      "--as",
      "eve@example.org",
    );
    await bench.json("agent", "approve", "desk", ...owner, ...AS, "--note", "nobody else is here");
    const before = await exported();
    const [profile] = Object(parsed(before))["profiles"];
    expect(profile).toMatchObject({ agent: "desk", owner: "eve@example.org", body: { mode: "enforce" } });
    expect(await applied(await bench.file(before))).toEqual([]);

    const limited = before.replace("[profiles.body.limits]", "[profiles.body.limits]\nconcurrent = 2");
    expect(limited).not.toBe(before);
    expect(await applied(await bench.file(limited))).toEqual(["change profile desk (eve@example.org): done"]);
    const wide = await bench.file((await exported()).replace(/concurrent = 2\n/, ""));
    for (let times = 0; times < 2; times += 1) {
      expect(await applied(wide)).toEqual(["change profile desk (eve@example.org): awaiting approval"]);
    }
    expect(await bench.json("profile", "show", "desk", ...owner)).toMatchObject({
      version: 2,
      limits: { concurrent: 2 },
    });

    await using other = await fresh();
    const whole = await other.file(await exported());
    await other.run(["apply", "-f", whole, ...AS], { env: SECRETS });
    expect(saidBy(await exported(other))).toEqual(saidBy(await exported()));
  });
});

describe("what is applied", () => {
  test("a secret that differs is a change, told without it", async () => {
    verifies("apply.secrets");
    const file = await bench.file(await exported());
    const env = { PROVIDER_OPENAI_API_KEY: "sk-proj-another-key" };
    const { changes } = await bench.jsonWith({ env }, "apply", "-f", file);
    expect(changes).toEqual([
      {
        ...{ kind: "provider", name: "openai", action: "change", state: "done" },
        fields: [{ field: "api_key", before: "(secret)", after: "(secret)" }],
      },
    ]);
    const key = await bench.file("sk-from-a-file\n");
    const byFile = (await exported()).replace("env:PROVIDER_OPENAI_API_KEY", `file:${key}`);
    expect(await applied(await bench.file(byFile))).toEqual(["change provider openai: done"]);
    expect(await applied(file, "--force")).toEqual(["change provider openai: done"]);
    expect(bench.timesPrinted("another-key") + bench.timesPrinted("sk-from-a-file")).toBe(0);
  });

  test("fields of every kind change, and nothing else does", async () => {
    verifies("apply.differences");
    const swaps: readonly (readonly [string, string, string])[] = [
      ['role = "reviewer"', 'role = "analyst"', "user eve@example.org"],
      ["priority = 20", "priority = 30", "provider local"],
      ['given_by = "user"\n', "", "provider openai"],
      ['environment = "production"', 'environment = "staging"', "agent desk (eve@example.org)"],
      ["suspended = true\n", 'description = "Old."\nsuspended = true\n', "agent old (eve@example.org)"],
      ["call_ms = 5000", "call_ms = 6000", "tool server files (eve@example.org)"],
      ['tools = [ "read" ]', 'tools = [ "read", "list" ]', "tool server files (eve@example.org)"],
      ["output = 10", "output = 11", "price gpt-* at openai"],
      ["limit_usd = 100", "limit_usd = 90", "budget month of the hub"],
      [
        'reason = "odd calls"',
        'reason = "odder"',
        'restriction rate_limited {"requests_per_minute":10} of desk (eve@example.org)',
      ],
      ['events = [ "report.*" ]', 'events = [ "*" ]', "webhook https://hooks.example.org/in"],
      ["threshold = 30", "threshold = 35", "alert rule block-rate"],
      ["clear_at = 4", "clear_at = 3", "alert rule Desk is dear"],
      ["block = 0.1", "block = 0.05", "policy rules"],
    ];
    for (const [from, to, name] of swaps) {
      const before = await exported();
      const after = before.replace(from, to);
      expect([name, after !== before]).toEqual([name, true]);
      expect(await applied(await bench.file(after))).toEqual([`change ${name}: done`]);
      expect(saidBy(await exported())).toEqual(saidBy(after));
    }
  });

  test("a looser policy is proposed once, and awaits approval", async () => {
    verifies("apply.approval");
    await bench.json("user", "create", "rita@example.org", "--role", "reviewer");
    const loose = await bench.file((await exported()).replace("block = 0.05", "flag = 0.9"));
    for (let times = 0; times < 2; times += 1) {
      expect(await applied(loose)).toEqual(["change policy rules: awaiting approval"]);
    }
    expect(await bench.list("audit", "tail", "--lines", "500", "--kind", "policy.propose")).toHaveLength(1);
    const [code, stderr] = await refused("apply", "-f", loose);
    expect([code, stderr.includes(": policy rules needs --as EMAIL: an administrator")]).toEqual([2, true]);
  });

  test("what was changed after the export is not overwritten, unless it is meant", async () => {
    verifies("apply.etag");
    const old = await exported();
    const changed = await bench.file(old.replace("priority = 30", "priority = 40"));
    await bench.json("provider", "set", "local", "--priority", "50");
    const [code, stderr] = await refused("apply", "-f", changed, ...AS);
    expect([code, stderr.includes("Changed since the file was exported:\n  provider local\n")]).toEqual([1, true]);
    expect((await bench.list("provider", "list")).map(({ priority }) => priority)).toContain(50);
    // Another object than the one that was changed is not affected.
    const beside = old
      .replace("priority = 30", "priority = 50")
      .replace('environment = "staging"', 'environment = "test"');
    expect(await applied(await bench.file(beside))).toEqual(["change agent desk (eve@example.org): done"]);
    const truth = await bench.file(
      (await Bun.file(changed).text()).replace(/^etag.*$/m, "").replace("staging", "test"),
    );
    expect(await applied(truth)).toEqual(["change provider local: done"]);
    await bench.json("provider", "set", "local", "--priority", "50");
    expect(
      await applied(await bench.file((await Bun.file(changed).text()).replace("staging", "test")), "--force"),
    ).toEqual(["change provider local: done"]);
  });

  test("prune removes what no file has, and never the last administrator", async () => {
    verifies("apply.prune");
    await using other = await fresh();
    await other.run(["apply", "-f", await other.file(await exported()), ...AS], { env: SECRETS });
    const none = await other.file('[[users]]\nemail = "eve@example.org"\n');
    const { code, stdout, stderr } = await other.run(["apply", "-f", none, ...AS, "--prune"]);
    expect(code).toBe(0);
    expect(stderr).toBe(`note: user ${ROOT} stays: there is no other active administrator\n`);
    expect(stdout).toContain("remove  provider openai\n");
    expect(stdout).toContain("remove  agent desk (eve@example.org)\n");
    const left = saidBy(await exported(other));
    expect(Object.keys(left)).toEqual(["users", ...(left["policy"] === undefined ? [] : ["policy"])]);
    expect(left["users"]).toContainEqual({ email: ROOT, role: "admin" });
    expect((await other.run(["apply", "-f", none, ...AS, "--prune", "--dry-run"])).stdout).not.toContain(
      "remove  user",
    );
  });

  test("an address with a query is exported as a reference, and a name that two have is refused", async () => {
    verifies("apply.secrets", "apply.faults");
    await using other = await fresh();
    const url = "http://127.0.0.1:9/mcp?key=k-in-a-query";
    await other.run(["tool-server", "add", "far", "--owner", ROOT, "--url", url]);
    const toml = await exported(other);
    expect(toml).toContain('url = "env:TOOL_SERVER_FAR_ROOT_EXAMPLE_ORG_URL"');
    expect(toml).not.toContain("k-in-a-query");
    expect(changesOf(await other.json("apply", "-f", await other.file(toml)))).toEqual([]);
    const plain = await other.file(toml.replace("env:TOOL_SERVER_FAR_ROOT_EXAMPLE_ORG_URL", url));
    expect(changesOf(await other.json("apply", "-f", plain))).toEqual([]);
    const chat = await other.file("https://chat.example.org/in");
    for (let times = 0; times < 2; times += 1) {
      await other.json("alert", "add", "slack", "--name", "chat", "--secret-file", chat);
    }
    const { code, stderr } = await other.run(["export", "config"]);
    expect([code, stderr]).toEqual([
      1,
      "guardhouse: Two are called alert destination chat, and a file knows them by their names: rename one\n",
    ]);
  });

  test("several files are one configuration; what fails says what was done", async () => {
    verifies("apply.failure");
    await using other = await fresh();
    const users = await other.file('[[users]]\nemail = "ben@example.org"\n');
    const wrong = await other.file(
      '[[agents]]\nname = "helper"\nowner = "ben@example.org"\n\n[[webhooks]]\nurl = "http://127.0.0.1:1/"\nevents = ["*"]\nsecret = "env:WEBHOOK"\n',
    );
    const env = { WEBHOOK: WEBHOOK_SECRET };
    const { code, stderr } = await other.run(["apply", "-f", users, wrong], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(`${wrong}: webhook http://127.0.0.1:1/: `);
    expect(stderr).toContain(
      "Done before:\n  create user ben@example.org: done\n  create agent helper (ben@example.org): done\n",
    );
    const mended = await other.file('[[agents]]\nname = "helper"\nowner = "BEN@example.org"\nenvironment = "test"\n');
    expect(changesOf(await other.json("apply", "-f", users, "-f", mended))).toEqual([
      "change agent helper (ben@example.org): done",
    ]);
  });
});

describe("the order of changes", () => {
  const user = (email: string, role: string): string => `[[users]]\nemail = "${email}"\nrole = "${role}"\n`;
  const rules = (threshold: string): string =>
    `[[policy.rules]]\ntype = "pii.email"\norigins = ["user"]\nthresholds = { ${threshold} }\n`;

  test("those who may approve a looser policy are asked before they lose their role in the same file", async () => {
    verifies("apply.approval");
    await using other = await fresh();
    const rita = "rita@example.org";
    const strict = await other.file(`${user(rita, "reviewer")}${rules("block = 0.05")}`);
    await other.json("apply", "-f", strict, ...AS);
    const before = Object(parsed(await exported(other)))["policy"];
    const loose = await other.file(`${user(rita, "member")}${rules("flag = 0.9")}`);
    const waiting = "change policy rules: awaiting approval";
    expect(changesOf(await other.json("apply", "-f", loose, ...AS))).toEqual([waiting, `change user ${rita}: done`]);
    expect(changesOf(await other.json("apply", "-f", loose, ...AS))).toEqual([waiting]);
    expect(Object(parsed(await exported(other)))["policy"]).toEqual(before);
    // Nor is it put in force by leaving it out.
    const none = await other.file(`${user(ROOT, "admin")}${user(rita, "reviewer")}`);
    await other.json("apply", "-f", none, ...AS);
    const gone = await other.file(user(ROOT, "admin"));
    expect(changesOf(await other.json("apply", "-f", gone, ...AS, "--prune"))).toEqual([
      "remove policy rules: awaiting approval",
      `remove user ${rita}: done`,
    ]);
  });

  test("is what restricts before what gives; what is new and off is never on", async () => {
    verifies("apply.order");
    await using other = await fresh();
    const agent = (suspended: boolean): string =>
      `[[agents]]\nname = "desk"\nowner = "${ROOT}"\nsuspended = ${suspended}\n`;
    const server = (slug: string, assigned: string): string =>
      `[[tool_servers]]\nslug = "${slug}"\nowner = "${ROOT}"\ntransport = "stdio"\ncommand = ["false"]\nactive = false\n${assigned}`;
    const tools = (names: string): string => `[[tool_servers.assignments]]\nagent = "desk"\ntools = [${names}]\n`;
    const provider = (models: string): string =>
      `[[providers]]\nname = "p"\nbase_url = "http://127.0.0.1:9/v1"\nmodels = ["${models}"]\n`;
    const hook = `[[webhooks]]\nurl = "https://h.example.org/"\nevents = ["*"]\nactive = false\nsecret = "env:HOOK"\n`;
    const env = { HOOK: WEBHOOK_SECRET };
    const first = `${agent(false)}${provider("a")}${server("files", tools('"read", "write"'))}`;
    await other.jsonWith({ env }, "apply", "-f", await other.file(first), ...AS);
    const second = `${agent(true)}${provider("*")}${server("files", tools('"read"'))}${server("more", "")}${hook}[[users]]\nemail = "eve@example.org"\n`;
    const result = await other.jsonWith({ env }, "apply", "-f", await other.file(second), ...AS);
    expect(changesOf(result)).toEqual([
      `change agent desk (${ROOT}): done`,
      `change tool server files (${ROOT}): done`,
      "create user eve@example.org: done",
      "change provider p: done",
      `create tool server more (${ROOT}): done`,
      "create webhook https://h.example.org/: done",
    ]);
    const kinds = (await other.list("audit", "tail", "--lines", "500")).map(({ kind }) => kind);
    expect(kinds).toContain("tool_server.add");
    expect(kinds.filter((kind) => kind === "tool_server.update" || kind === "webhook.update")).toEqual([]);
    expect(Object(parsed(await exported(other)))).toMatchObject({
      tool_servers: [{ active: false }, { active: false }],
      webhooks: [{ active: false }],
    });
  });

  test("lets an administrator go after another has come, and never the last one", async () => {
    verifies("apply.prune");
    await using other = await fresh();
    const eve = "eve@example.org";
    const swap = await other.file(`${user(ROOT, "analyst")}${user(eve, "admin")}`);
    expect(changesOf(await other.json("apply", "-f", swap, ...AS))).toEqual([
      `create user ${eve}: done`,
      `change user ${ROOT}: done`,
    ]);
    const back = await other.file(`${user(eve, "member")}${user(ROOT, "admin")}`);
    await other.json("apply", "-f", back);
    const none = await other.file(user(ROOT, "reviewer"));
    const { code, stderr } = await other.run(["apply", "-f", none, "--dry-run"]);
    expect([code, stderr.includes(`user ${ROOT}: there would be no active administrator`)]).toEqual([2, true]);
  });
});

describe("a file that is forgotten or empty", () => {
  test("does not remove what other files name, nor everything", async () => {
    verifies("apply.prune");
    await using other = await fresh();
    const eve = "eve@example.org";
    const root = `[[users]]\nemail = "${ROOT}"\nrole = "admin"\n`;
    const [admins, people, agents, empty] = [
      await other.file(root),
      await other.file(`[[users]]\nemail = "${eve}"\n`),
      await other.file(`[[agents]]\nname = "desk"\nowner = "${eve}"\n`),
      await other.file("# nothing\n"),
    ];
    const prune = async (...args: string[]) => other.run(["apply", ...args, ...AS, "--prune"]);
    await other.json("apply", "-f", admins, people, agents);
    const without = await prune("-f", admins, agents);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain(`  ${agents}: agent desk (${eve}): there is no user ${eve}, or it is removed\n`);
    for (const files of [[empty], [admins, people, empty], [agents]]) {
      const { code, stderr } = await prune("-f", ...files);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--force alone/)]);
    }
    expect((await prune("-f", admins, people, agents)).stdout).toBe("No differences.\n");
    const forced = await other.json("apply", "-f", empty, ...AS, "--prune", "--force");
    expect(changesOf(forced)).toEqual([`remove agent desk (${eve}): done`, `remove user ${eve}: done`]);
  });
});

describe("what a file gives", () => {
  test("of restrictions alike all are changed, and all are lifted", async () => {
    verifies("apply.prune");
    await using other = await fresh();
    const desk = `[[users]]\nemail = "${ROOT}"\nrole = "admin"\n[[agents]]\nname = "desk"\nowner = "${ROOT}"\n`;
    await other.json("apply", "-f", await other.file(desk));
    const twice = async (): Promise<void> => {
      for (let times = 0; times < 2; times += 1) {
        await other.json(
          "restriction",
          "set",
          "desk",
          "--owner",
          ROOT,
          "--kind",
          "suspended",
          "--reason",
          "odd",
          "--expires-in",
          "1h",
        );
      }
    };
    const restriction = (reason: string): string =>
      `[[restrictions]]\nagent = "desk"\nowner = "${ROOT}"\nkind = "suspended"\nreason = "${reason}"\nexpires_at = "2099-01-01T00:00:00Z"\n`;
    const file = await other.file(`${desk}${restriction("odder")}`);
    const name = `restriction suspended of desk (${ROOT})`;
    await twice();
    expect(changesOf(await other.json("apply", "-f", file))).toEqual([`change ${name}: done`]);
    expect(changesOf(await other.json("apply", "-f", file))).toEqual([]);
    await twice();
    const none = await other.file(desk);
    expect(changesOf(await other.json("apply", "-f", none, "--prune"))).toEqual([`remove ${name}: done`]);
    expect(changesOf(await other.json("apply", "-f", none, "--prune"))).toEqual([]);
  });

  test("does not let back in who was suspended or disabled by hand, unless it says so in an administrator's name", async () => {
    verifies("apply.emergency");
    await using other = await fresh();
    const eve = "eve@example.org";
    const toml = (user: string, agent: string): Promise<string> =>
      other.file(
        `[[users]]\nemail = "${eve}"\n${user}[[agents]]\nname = "desk"\nowner = "${eve}"\n${agent}[[users]]\nemail = "${ROOT}"\nrole = "admin"\n`,
      );
    const usual = await toml("", "");
    await other.json("apply", "-f", usual);
    await other.json("agent", "suspend", "desk", "--owner", eve);
    await other.json("user", "disable", eve);
    for (const prune of [[], ["--prune"]]) {
      expect(changesOf(await other.json("apply", "-f", usual, ...AS, ...prune))).toEqual([]);
    }
    expect(parsed(await exported(other))).toMatchObject({
      users: [{ email: eve, state: "disabled" }, { email: ROOT }],
      agents: [{ name: "desk", suspended: true }],
    });
    const lifting = await toml('state = "active"\n', "suspended = false\n");
    const { code, stderr } = await other.run(["apply", "-f", lifting]);
    expect(code).toBe(2);
    expect(stderr).toContain(`user ${eve} needs --as EMAIL: an administrator`);
    expect(stderr).toContain(`agent desk (${eve}) needs --as EMAIL: an administrator`);
    const lifted = [`change user ${eve}: done`, `change agent desk (${eve}): done`];
    expect(changesOf(await other.json("apply", "-f", lifting, ...AS))).toEqual(lifted);
    expect(changesOf(await other.json("apply", "-f", lifting))).toEqual([]);
    expect(await exported(other)).not.toMatch(/suspended|state/);
  });

  test("an empty list of tools gives none, beside resources or alone, and twice changes nothing", async () => {
    verifies("apply.idempotent");
    await using other = await fresh();
    const tools = async (): Promise<unknown> => Object(parsed(await exported(other)))["tool_servers"][0].assignments;
    const file = (assignment: string): Promise<string> =>
      other.file(
        `[[agents]]\nname = "desk"\nowner = "${ROOT}"\n[[tool_servers]]\nslug = "files"\nowner = "${ROOT}"\ntransport = "stdio"\ncommand = ["false"]\nactive = false\n[[tool_servers.assignments]]\nagent = "desk"\n${assignment}`,
      );
    const none = await file("tools = []\n");
    for (const assignment of [none, await file('tools = []\nresources = ["file:///srv/*"]\n'), none]) {
      await other.json("apply", "-f", assignment);
      expect(await tools()).toMatchObject([{ agent: "desk", tools: [] }]);
      expect(changesOf(await other.json("apply", "-f", assignment))).toEqual([]);
    }
  });
});

describe("what is wrong with a file", () => {
  const faults: readonly (readonly [string, string])[] = [
    ["[[users]\n", ":1: not valid TOML"],
    [
      '[[webhooks]]\nurl = "https://h.example.org/"\nevents = ["*"]\nsecret = "env:PROVIDER_OPENAI_API_KEY"\n',
      ": webhook https://h.example.org/: secret must refer to whsec_",
    ],
    [
      '[[webhooks]]\nurl = "https://h.example.org/"\nevents = ["x"]\n',
      ": webhook https://h.example.org/: This names no event",
    ],
    [
      '[[providers]]\nname = "x"\nbase_url = "ftp://h"\nmodels = ["m"]\n',
      ": provider x: The base URL must begin with http",
    ],
    ['[[prices]]\nmodel = "m m"\ninput = 1\noutput = 1\n', ": price m m: The model must be a model name"],
    [
      '[[budgets]]\nperiod = "day"\nlimit_usd = 1\nagent = "desk"\n',
      ": budget day of the hub: Give both agent and owner.",
    ],
    [
      '[[alert_rules]]\nname = "R"\nid = "none"\nkind = "spend"\n',
      ": alert rule none: There is no built-in rule none.",
    ],
    [
      '[[tool_servers]]\nslug = "s"\nowner = "root@example.org"\n',
      ": tool server s (root@example.org): streamable-http needs url",
    ],
    [
      '[[restrictions]]\nagent = "desk"\nowner = "eve@example.org"\nkind = "tool_restricted"\nreason = "r"\n',
      ": restriction tool_restricted of desk (eve@example.org): params are missing",
    ],
    ['[[user]]\nemail = "a@b"\n', ": user is not known here; did you mean users?"],
    ['users = "all"\n', ": users must be written as [[users]]"],
    [
      '[[users]]\nemail = "a@b"\nrole = "boss"\n',
      ": user a@b: role has not the right form: `member` if left out. One of admin",
    ],
    [
      '[[providers]]\nname = "x"\nbase_url = "https://h"\nmodels = ["m"]\nprioritty = 1\n',
      ": provider x: prioritty is not known here; did you mean priority?",
    ],
    ['[[providers]]\nname = "x"\nmodels = ["m"]\n', ": provider x: base_url is missing"],
    [
      '[[providers]]\nname = "x"\nbase_url = "https://h"\nmodels = ["m"]\napi_key = "sk-plain-secret"\n',
      ": provider x: api_key has not the right form",
    ],
    [
      '[[providers]]\nname = "x"\nbase_url = "https://h"\nmodels = ["m"]\napi_key = "env:NOWHERE"\n',
      ": provider x: api_key: env:NOWHERE is not set",
    ],
    [
      '[[agents]]\nname = "a"\nowner = "nobody@example.org"\n',
      ": agent a (nobody@example.org): there is no user nobody@example.org",
    ],
    ['[[users]]\nemail = "a@b"\n[[users]]\nemail = "a@b"\n', ": user a@b is there twice"],
    [
      '[[users]]\nemail = "eve@example.org"\nname = "Eva"\nrole = "analyst"\n',
      ": user eve@example.org: name cannot be changed",
    ],
    ['etag = "now"\n', ": etag has not the right form"],
  ];

  test("is told with file, object and field, all at once, and nothing is changed", async () => {
    verifies("apply.faults");
    const before = await exported();
    for (const [toml, message] of faults) {
      const file = await bench.file(toml);
      const [code, stderr] = await refused("apply", "-f", file, ...AS);
      expect([toml, code, stderr.includes(`  ${file}${message}`) || stderr]).toEqual([toml, 2, true]);
    }
    expect(bench.timesPrinted("sk-plain-secret")).toBe(0);
    const both = await bench.file('[[users]]\nemail = "a@b"\nrole = 1\n[[agents]]\nname = "a"\nowner = 1\n');
    const [, stderr] = await refused("apply", "-f", both);
    expect(stderr.match(/^ {2}\//gm)).toHaveLength(2);
    expect(await exported()).toBe(before);
    expect((await refused("apply"))[0]).toBe(2);
    expect((await refused("apply", "-f", "/nowhere.toml"))[0]).toBe(2);
    expect((await refused("apply", "-f", both, "--as", "eve@example.org"))[0]).toBe(1);
  });

  test("nothing refers to the hub's own settings", async () => {
    verifies("apply.secrets");
    const file = await bench.file(
      '[[providers]]\nname = "x"\nbase_url = "https://h"\nmodels = ["m"]\napi_key = "env:GUARDHOUSE_LOG_LEVEL"\n',
    );
    const { code, stderr } = await bench.run(["apply", "-f", file, "--dry-run"], {
      env: { GUARDHOUSE_LOG_LEVEL: "error" },
    });
    expect([code, stderr.includes("env:GUARDHOUSE_LOG_LEVEL is a setting of the hub")]).toEqual([2, true]);
  });

  test("the schema is printed, and what is exported fits", async () => {
    verifies("apply.schema");
    const schema = Object(JSON.parse((await bench.run(["apply", "--schema"], { data: false })).stdout));
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const configuration = parsed(await exported());
    expect([...new Shape(ConfigurationFile).faults(configuration)]).toEqual([]);
    const sections = Object.keys(configuration);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(sections));
    expect(text(schema.properties.etag, "type")).toBe("string");
  });
});

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { answers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";
import { text, Workbench } from "./workbench";

setDefaultTimeout(120_000);

const EVE = "eve@example.com";
const SAM = "sam@example.com";
const ANN = "ann@example.com";
const ROOT = "root@example.com";

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  for (const email of [EVE, SAM]) await bench.json("user", "create", email);
  await bench.json("user", "create", ANN, "--role", "reviewer");
  await bench.json("admin", "create", ROOT);
});
afterAll(() => bench[Symbol.asyncDispose]());

const answersFile = (more: object = {}) =>
  bench.file(JSON.stringify({ ...answers({ ownership: { sponsor: SAM } }), ...more }));

const named = (name: string) => [name, "--owner", EVE];

/** What a command that is refused ends with. */
const refused = async (...args: readonly string[]): Promise<[code: number, stderr: string]> => {
  const { code, stderr } = await bench.run(args);
  return [code, stderr];
};

describe("agent submit and approve", () => {
  test("from answers in a file to a profile in force", async () => {
    verifies("review.publishes");
    const { id } = await bench.json("agent", "create", "desk", "--owner", EVE, "--description", "Answers.");
    const submitted = await bench.json("agent", "submit", "desk", "--answers", await answersFile(), "--as", EVE);
    expect(submitted).toMatchObject({
      ...{ id, name: "desk", owner: EVE, sponsor: SAM, review_status: "submitted", lifecycle: "active" },
      review: { status: "submitted", tier: "low", points: 4, approvals: { required: 1, given: [] } },
    });
    const approved = await bench.json("agent", "approve", ...named("desk"), "--as", ANN);
    expect(approved).toMatchObject({
      id,
      review_status: "approved",
      profile_version: 1,
      review: { status: "approved" },
    });
    expect(await bench.json("profile", "show", ...named("desk"))).toMatchObject({ version: 1, status: "active" });
    const records = await bench.list("audit", "tail", "-n", "5");
    expect(records[0]).toMatchObject({ kind: "review.decide", actor: { via: "cli", user_id: expect.any(String) } });
  });

  test("separation of duties holds here too; a name needs its owner", async () => {
    verifies("review.separation-of-duties");
    await bench.json("agent", "create", "strict", "--owner", EVE);
    await bench.json("agent", "submit", "strict", "--answers", await answersFile(), "--as", EVE);
    for (const [who, why] of [
      [EVE, "requires the role"],
      [SAM, "no such review"],
    ] as const) {
      const [code, stderr] = await refused("agent", "approve", ...named("strict"), "--as", who);
      expect([who, code]).toEqual([who, who === SAM ? 9 : 1]);
      expect(stderr).toContain(why);
    }
    expect((await refused("agent", "approve", "strict", "--as", ANN))[0]).toBe(2);
    expect((await refused("agent", "approve", ...named("nobody"), "--as", ANN))[0]).toBe(9);
    await bench.json("agent", "approve", ...named("strict"), "--as", ANN);
    const [code, stderr] = await refused("agent", "approve", ...named("strict"), "--as", ANN);
    expect([code, stderr]).toEqual([1, expect.stringContaining("strict has no pending review")]);
  });

  test("submitted again with other answers it is the same review, with another hash", async () => {
    verifies("review.edit-voids");
    await bench.json("agent", "create", "twice", "--owner", EVE);
    const first = await bench.json("agent", "submit", "twice", "--answers", await answersFile(), "--as", EVE);
    const changed = await answersFile({ monitoring: { slo: "99 %" } });
    const second = await bench.json("agent", "submit", "twice", "--answers", changed, "--as", EVE);
    expect(Object(second["review"]).id).toBe(Object(first["review"]).id);
    expect(Object(second["review"]).content_hash).not.toBe(Object(first["review"]).content_hash);
  });

  test("a sole administrator approves alone, with a reason, and that is on record", async () => {
    verifies("review.separation-of-duties");
    await using alone = await Workbench.create();
    await alone.json("admin", "create", ROOT);
    await alone.json("agent", "create", "mine", "--owner", ROOT);
    const file = await alone.file(JSON.stringify(answers()));
    await alone.json("agent", "submit", "mine", "--answers", file, "--as", ROOT);
    const without = await alone.run(["agent", "approve", "mine", "--owner", ROOT, "--as", ROOT]);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("requires a reason")]);
    const note = ["--note", "Nobody else is here."];
    const done = await alone.json("agent", "approve", "mine", "--owner", ROOT, "--as", ROOT, ...note);
    expect(done).toMatchObject({ review_status: "approved" });
    const [record] = await alone.list("audit", "tail", "-n", "1");
    expect(record).toMatchObject({ change: { detail: { decision: "approve", alone: true, profile: { version: 1 } } } });
    expect(JSON.stringify(record)).not.toContain("Nobody else is here");
  });

  test("all faults of the answers are told at once, with the names that were probably meant", async () => {
    verifies("cli.near-names");
    await bench.json("agent", "create", "sloppy", "--owner", EVE);
    const { monitoring: _, ...most } = answers({ ownership: { sponsor: SAM } });
    const { autonomy, ...oversight } = most.oversight;
    const faulty = {
      ...most,
      oversight: { ...oversight, autonmy: autonomy },
      purpose: { ...most.purpose, intended_use: "" },
    };
    const file = await bench.file(JSON.stringify({ ...faulty, zzz: 1 }));
    const [code, stderr] = await refused("agent", "submit", "sloppy", "--answers", file, "--as", EVE);
    expect(code).toBe(2);
    const lines = stderr.split("\n").map((line) => line.trim());
    expect(lines[0]).toBe("guardhouse: The answers cannot be submitted:");
    expect(lines).toContain("answers.oversight.autonmy is not known here; did you mean autonomy?");
    expect(lines).toContain("answers.zzz is not known here.");
    for (const place of ["answers.monitoring is missing", "answers.purpose.intended_use is empty"])
      expect(lines.filter((line) => line.startsWith(place))).toHaveLength(1);
    expect(stderr).not.toContain("answers.oversight.autonomy is missing");
  });

  test("a fault in the answers is named by its path, and never quoted", async () => {
    verifies("review.answers");
    await bench.json("agent", "create", "faulty", "--owner", EVE);
    const [code, stderr] = await refused(
      ...["agent", "submit", "faulty", "--as", EVE, "--answers"],
      await answersFile({ oversight: { autonomy: "hunter2" } }),
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining("answers.oversight.autonomy")]);
    expect(stderr).not.toContain("hunter2");
    for (const file of [await bench.file("{ not json"), "/no/such/file"]) {
      expect((await refused("agent", "submit", "faulty", "--as", EVE, "--answers", file))[0]).toBe(2);
    }
  });
});

describe("agent questionnaire", () => {
  test("questionnaire template explains each question and is valid once filled in", async () => {
    verifies("review.answers");
    const { stdout } = await bench.run(["agent", "questionnaire"]);
    expect(stdout).toContain("[data_privacy]");
    expect(stdout).toContain(
      "# Whether it suggests, acts once approved, or acts. One of suggest, act_with_approval, act.",
    );
    await bench.json("agent", "create", "filled", "--owner", EVE);
    const empty = await refused("agent", "submit", "filled", "--answers", await bench.file(stdout), "--as", EVE);
    expect(empty).toEqual([2, expect.stringContaining("answers.purpose.intended_use")]);
    const toml = stdout
      .replace('intended_use = ""', 'intended_use = "To try it."')
      .replace('# sponsor = ""', `sponsor = "${SAM}"`);
    const done = await bench.json("agent", "submit", "filled", "--answers", await bench.file(toml), "--as", EVE);
    expect(done).toMatchObject({ review: { status: "submitted", tier: "low", points: 0 } });
    const json = await bench.json("agent", "questionnaire");
    expect(Object.keys(json)).toHaveLength(9);
  });
});

test("the example in the documents works as it stands", async () => {
  verifies("review.answers");
  const text = await Bun.file(new URL("../../docs/agents.md", import.meta.url)).text();
  const toml = /^```toml\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? "";
  await bench.json("user", "create", "grace@example.org");
  await bench.json("agent", "create", "order-desk", "--owner", EVE);
  const file = await bench.file(toml);
  const done = await bench.json("agent", "submit", "order-desk", "--answers", file, "--as", EVE);
  expect(done).toMatchObject({ review: { tier: "high", points: 13, approvals: { required: 2 } } });
});

describe("agent suspend, resume and retire", () => {
  test("as scripts need them", async () => {
    verifies("agents.lifecycle");
    await bench.json("agent", "create", "brief", "--owner", EVE);
    expect(await bench.json("agent", "suspend", ...named("brief"), "--reason", "It loops.")).toMatchObject({
      lifecycle: "suspended",
    });
    expect(await bench.json("agent", "resume", ...named("brief"))).toMatchObject({ lifecycle: "active" });
    const { token } = await bench.json("token", "create", "--user", EVE, "--agent", "brief");
    expect(token).toEqual(expect.any(String));
    expect((await refused("agent", "retire", ...named("brief"), "--confirm", "other"))[0]).toBe(2);
    expect(await bench.json("agent", "retire", ...named("brief"), "--confirm", "brief")).toMatchObject({
      lifecycle: "retired",
    });
    const tokens = await bench.list("token", "list");
    expect(tokens.filter(({ agent_id }) => agent_id !== null).map(({ state }) => state)).toEqual(["revoked"]);
    expect((await refused("agent", "resume", ...named("brief")))[0]).toBe(1);
  });
});

describe("profile show and set", () => {
  test("profile show and profile set: a printed profile can be edited, set and compared", async () => {
    verifies("profile.by-hand", "profile.diff");
    await bench.json("agent", "create", "held", "--owner", EVE);
    const none = await bench.run(["profile", "show", ...named("held"), "--json"]);
    expect([none.code, none.stdout]).toEqual([0, "null\n"]);
    await bench.json("agent", "submit", "held", "--answers", await answersFile(), "--as", EVE);
    await bench.json("agent", "approve", ...named("held"), "--as", ANN);
    const shown = await bench.json("profile", "show", ...named("held"));
    const file = await bench.file(JSON.stringify({ ...shown, mode: "monitor" }));
    const set = ["profile", "set", ...named("held"), "--file", file, "--as"];
    expect((await refused(...set, EVE))[0]).toBe(1);
    const second = await bench.json(...set, ROOT);
    expect(second).toMatchObject({ version: 2, mode: "monitor", review_id: null, status: "active" });
    expect(text(second, "content_hash")).not.toBe(text(shown, "content_hash"));
    expect(await bench.json("profile", "show", ...named("held"), "--diff")).toMatchObject({
      changes: [{ pointer: "/mode", before: "enforce", after: "monitor", direction: "looser" }],
    });
    expect((await bench.run(["profile", "show", ...named("held"), "--diff"])).stdout).toContain(
      'looser    /mode: "enforce" → "monitor"',
    );
    expect(await bench.json("profile", "show", ...named("held"), "--version", "1")).toMatchObject({
      version: 1,
      status: "superseded",
    });
    expect((await refused("profile", "show", ...named("held"), "--version", "9"))[0]).toBe(9);
    const rules = [{ type: "pii", origin: ["user"], thresholds: { flag: 0.3 } }];
    const pii = { enabled: true, mode: "enforce", monitor_until: null, rules };
    const odd = await bench.file(JSON.stringify({ ...shown, detectors: { ...Object(shown["detectors"]), pii } }));
    const misspelt = await refused("profile", "set", ...named("held"), "--file", odd, "--as", ROOT);
    expect(misspelt).toEqual([2, expect.stringContaining("detectors.pii.rules[0].origin is not known")]);
    const broken = await bench.file(
      JSON.stringify({ ...shown, detectors: { ...Object(shown["detectors"]), pii: {} } }),
    );
    const [code, stderr] = await refused("profile", "set", ...named("held"), "--file", broken, "--as", ROOT);
    expect([code, stderr]).toEqual([2, expect.stringContaining("detectors.pii")]);
  });
});

test("agent show and edit: facts, a new name, a new owner; what is not given stays", async () => {
  verifies("cli.edits");
  await bench.json("agent", "create", "plain", "--owner", EVE, "--description", "Old.", "--environment", "staging");
  const edit = (...flags: string[]) => bench.json("agent", "edit", ...named("plain"), ...flags);
  expect(await edit("--description", "", "--sponsor", SAM)).toMatchObject({
    ...{ name: "plain", owner: EVE, sponsor: SAM, description: null, environment: "staging" },
  });
  expect((await refused("agent", "edit", ...named("plain")))[0]).toBe(2);
  expect((await refused("agent", "edit", ...named("plain"), "--sponsor", "nobody@example.com"))[0]).toBe(2);
  const moved = await edit("--new-owner", ANN, "--name", "renamed");
  expect(moved).toMatchObject({ name: "renamed", owner: ANN });
  expect(await bench.json("agent", "show", text(moved, "id"))).toMatchObject({ ...moved });
  expect((await bench.run(["agent", "show", "renamed", "--owner", ANN])).stdout).toMatch(/^environment +staging$/m);
  expect((await refused("agent", "show", ...named("plain")))[0]).toBe(9);
});

test("user role changes a role, but not that of the last administrator", async () => {
  verifies("cli.edits");
  expect(await bench.json("user", "role", SAM, "analyst")).toMatchObject({ email: SAM, role: "analyst" });
  expect(await bench.list("user", "list")).toContainEqual(expect.objectContaining({ email: SAM, role: "analyst" }));
  expect(await refused("user", "role", SAM, "king")).toEqual([2, expect.stringContaining("ROLE: one of admin")]);
  expect((await refused("user", "role", ROOT, "member"))[0]).toBe(1);
  expect((await refused("user", "role", "nobody@example.com", "member"))[0]).toBe(9);
});

test("an agent's name may have spaces, and a refusal says what a name is", async () => {
  verifies("cli.agent-names");
  const made = await bench.json("agent", "create", "order desk 2", "--owner", EVE);
  expect(await bench.json("agent", "show", ...named("order desk 2"))).toMatchObject({ id: text(made, "id") });
  for (const [name, why] of [
    [" ", "is empty"],
    ["x".repeat(101), "longer than 100 characters"],
    ["a\tb", "control characters"],
    [text(made, "id"), "not the form of an id"],
  ] as const) {
    expect(await refused("agent", "create", name, "--owner", EVE)).toEqual([2, expect.stringContaining(why)]);
  }
});

describe("restriction", () => {
  const set = (...flags: string[]) =>
    refused("restriction", "set", ...named("bound"), "--reason", "odd calls at night", ...flags);

  test("set, listed and lifted, with what the API says of it", async () => {
    verifies("cli.restrictions");
    const agent = await bench.json("agent", "create", "bound", "--owner", EVE);
    const made = await bench.json(
      ...["restriction", "set", ...named("bound"), "--kind", "tool_restricted", "--tools", "files__delete, mail__*"],
      ...["--read-only", "--expires-in", "4h", "--reason", "odd calls at night"],
    );
    expect(made).toMatchObject({
      ...{ agent_id: agent["id"], kind: "tool_restricted", reason: "odd calls at night", in_force: true },
      ...{ params: { tools_deny: ["files__delete", "mail__*"], read_only: true }, source: "manual", set_by: null },
    });
    const lasts = Date.parse(text(made, "expires_at")) - Date.parse(text(made, "starts_at"));
    expect(Math.abs(lasts - 4 * 3_600_000)).toBeLessThan(60_000);
    expect(await bench.list("restriction", "list", text(agent, "id"))).toMatchObject([{ id: made["id"] }]);
    const { stdout } = await bench.run(["restriction", "list", ...named("bound")]);
    expect(stdout).toContain("tools_deny files__delete, mail__*; read_only");
    const lift = ["restriction", "lift", ...named("bound"), text(made, "id")];
    const lifted = await bench.json(...lift, "--reason", "calm again");
    expect(lifted).toMatchObject({ in_force: false, lift: { by: null, reason: "calm again" } });
    expect((await bench.run(lift)).code).toBe(1);
    expect((await bench.run(["restriction", "list", ...named("bound")])).stdout).toBe("No restriction in force.\n");
    expect(await bench.list("restriction", "list", ...named("bound"), "--all")).toHaveLength(1);
    const records = await bench.list("audit", "tail", "-n", "2");
    expect(records.map(({ kind }) => kind).toSorted()).toEqual(["restriction.lift", "restriction.set"]);
    expect(records[0]).toMatchObject({ actor: { via: "cli", user_id: null } });
  });

  test("what is no restriction is refused, and nothing is set", async () => {
    verifies("cli.restrictions");
    for (const [flags, why] of [
      [["--kind", "gagged", "--expires-in", "4h"], "--kind: one of suspended"],
      [["--kind", "rate_limited", "--expires-in", "4h"], "params are missing"],
      [["--kind", "rate_limited", "--requests-per-minute", "ten", "--expires-in", "4h"], "a whole number"],
      [["--kind", "output_redaction", "--tools", "mail__send", "--expires-in", "4h"], "tools_deny"],
      [["--kind", "output_redaction"], "Only a suspension may have no end"],
    ] as const) {
      expect(await set(...flags)).toEqual([2, expect.stringContaining(why)]);
    }
    expect(await bench.list("restriction", "list", ...named("bound"))).toEqual([]);
    expect((await refused("restriction", "list", ...named("nobody")))[0]).toBe(9);
  });
});

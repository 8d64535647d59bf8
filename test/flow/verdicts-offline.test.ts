import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonRecord } from "#core/json/json";
import type { ProfileBody } from "#policy/profile/profile";
import { command } from "#test/support/program";
import { TcpProxy } from "#test/support/tcp-proxy";
import { verifies } from "#test/support/verifies";
import { EnforcementWorld } from "./enforcement-world";
import { ADMIN, until } from "./restricted-world";

/** Written so that no home directory stands in this file. */
const ADA = ["", "home", "ada"].join("/");

const NOWHERE = 1;
const SECRET = "AKIAJLWGWBQ6RF4XWVRF";
const RULES: Partial<ProfileBody> = {
  commands: {
    ...{ default: "allow", allow: [], ask: ["git push *"], deny: ["rm -rf *"] },
    ...{ hosts: null, other_hosts: "deny" },
  },
  files: {
    read: { default: "allow", allow: [], ask: [], deny: ["~/.ssh/**"] },
    write: { default: "allow", allow: [], ask: [], deny: [] },
  },
  hooks: { redact: "deny", offline_minutes: 5 },
};

let world: EnforcementWorld;
let proxy: TcpProxy;
let home: string;
const hubPort = () => Number(new URL(world.world.hub.url).port);

beforeAll(async () => {
  world = await EnforcementWorld.open();
  proxy = new TcpProxy(hubPort());
});
afterAll(async () => {
  proxy[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hook-home-"));
  proxy.turnTo(hubPort());
});

const hook = async (given: JsonRecord, { token = world.token, args = [] as readonly string[] } = {}) => {
  const child = Bun.spawn([...command(), "hook", "--harness", "claude-code", ...args], {
    stdin: Buffer.from(JSON.stringify(given)),
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: home, XDG_CACHE_HOME: home },
      ...{ GUARDHOUSE_URL: `http://127.0.0.1:${proxy.port}`, GUARDHOUSE_TOKEN: token },
    },
  });
  const [stdout = "", stderr = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  const { hookSpecificOutput: output, decision } = JSON.parse(stdout);
  const reason: string = output?.permissionDecisionReason ?? "";
  return { decision: output?.permissionDecision ?? decision ?? "allow", reason, stderr };
};
const bash = (line: string, tool_name = "Bash"): JsonRecord => ({
  ...{ session_id: "talk", cwd: "/repo", hook_event_name: "PreToolUse", tool_name, tool_input: { command: line } },
});
const read = (file_path: string): JsonRecord => ({ ...bash("", "Read"), tool_input: { file_path } });
const decisionOf = async (given: JsonRecord) => (await hook(given)).decision;

const folder = () => join(home, "guardhouse", "hook");
const kept = () => readdirSync(folder()).map((name) => join(folder(), name));

/** Records of what was decided offline. */
const offlineRecords = async (): Promise<JsonRecord[]> => {
  const all = (await world.world.hub.cli("audit", "tail", "-n", "500")).json();
  if (!Array.isArray(all)) throw new Error("no records");
  return all.filter((one) => one.call?.decided_offline !== undefined).toReversed();
};

describe("a hook that cannot reach its hub", () => {
  test("decides commands and files by the rules it fetched last, and reports that later", async () => {
    verifies("local.offline");
    const version = await world.govern(RULES);
    expect(await decisionOf(bash("git status"))).toBe("allow");
    expect(kept()).toHaveLength(1);
    proxy.turnTo(NOWHERE);
    expect(await decisionOf(bash(`echo ${SECRET}`))).toBe("allow");
    expect(await decisionOf(bash("git push"))).toBe("ask");
    const denied = await hook(bash("sudo rm -rf /"));
    expect(denied.decision).toBe("deny");
    expect(denied.reason).toContain("commands.deny");
    expect(denied.reason).toContain("Decided without the hub");
    expect(denied.stderr).toContain("decided by the rules fetched last");
    expect(await decisionOf(read(`${ADA}/.ssh/id_rsa`))).toBe("deny");
    // What rules alone do not decide is for --fail.
    const prompt = { session_id: "talk", hook_event_name: "UserPromptSubmit", prompt: "Hello" };
    expect(await decisionOf(prompt)).toBe("block");
    expect(await decisionOf(bash("x", "mcp__files__read"))).toBe("deny");
    expect((await hook(bash("x", "mcp__files__read"), { args: ["--fail", "open"] })).decision).toBe("allow");
    // Nothing of what was decided about is on the disk, nor the token.
    const text = kept()
      .map((file) => readFileSync(file, "utf8"))
      .join("");
    for (const secret of [SECRET, world.token, "id_rsa", "git push origin"]) expect(text).not.toContain(secret);

    proxy.turnTo(hubPort());
    expect(await offlineRecords()).toEqual([]);
    expect(await decisionOf(bash("git status"))).toBe("allow");
    await until(async () => (await offlineRecords()).length === 4);
    const records = await offlineRecords();
    expect(records.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      "hook.claude-code answered",
      "hook.claude-code answered",
      "hook.claude-code blocked_output",
      "hook.claude-code blocked_output",
    ]);
    const [passed, asked, refused] = records.map(({ call }) => Object(call));
    expect(passed).toMatchObject({ action: "allow", conversation_id: "talk", decided_offline: expect.any(String) });
    expect(passed.coverage.output.unscanned).toEqual([{ param: "tool_input", reason: "offline" }]);
    expect(asked.flags).toEqual([expect.objectContaining({ rule: "commands.ask", action: "flag" })]);
    const denial = { layer: `profile v${version}`, rule: "commands.deny" };
    expect(refused).toMatchObject({ action: "block", denied_by: denial, event_id: expect.any(String) });
    // Once.
    expect(await decisionOf(bash("git status"))).toBe("allow");
    expect(await offlineRecords()).toHaveLength(4);
    expect(kept()).toHaveLength(1);
  });

  test("keeps up with the profile, and keeps nothing where it sets no time", async () => {
    verifies("local.offline");
    await world.govern(RULES);
    await hook(bash("ls"));
    await world.govern({ ...RULES, commands: { ...commandsOf(), deny: ["ls *"] } });
    await hook(bash("git status"));
    proxy.turnTo(NOWHERE);
    expect(await decisionOf(bash("ls"))).toBe("deny");
    expect(await decisionOf(bash("rm -rf /"))).toBe("allow");
    proxy.turnTo(hubPort());
    await world.govern({ ...RULES, hooks: { redact: "deny", offline_minutes: 0 } });
    await hook(bash("git status"));
    proxy.turnTo(NOWHERE);
    expect((await hook(bash("git status"))).reason).toContain("cannot be reached");
  });

  test("holds calls to the profile's tools", async () => {
    const tools = { default: "deny", allow: ["Bash", "Read"], effects: {}, require_human: ["Read"] } as const;
    const more = { tainted_arguments: "allow", max_calls_per_conversation: null } as const;
    await world.govern({ ...RULES, tools: { ...tools, ...more, allow: [...tools.allow], require_human: ["Read"] } });
    await hook(bash("ls"));
    proxy.turnTo(NOWHERE);
    expect(await decisionOf(bash("ls"))).toBe("allow");
    expect((await hook(read("/repo/a"))).reason).toContain("tools.require_human");
    expect((await hook({ ...bash("x", "Write"), tool_input: { file_path: "/repo/a" } })).reason).toContain(
      "tools.allow",
    );
  });

  test("a stopped agent keeps no rules", async () => {
    verifies("local.offline");
    await world.govern(RULES);
    await hook(bash("ls"));
    const admin = await world.world.session(ADMIN);
    const { json } = await world.world.api(admin, "POST", "/killswitch", { level: "all", reason: "a test" });
    expect(await decisionOf(bash("ls"))).toBe("deny");
    proxy.turnTo(NOWHERE);
    expect((await hook(bash("ls"))).reason).toContain("cannot be reached");
    await world.world.api(admin, "POST", `/killswitch/${Object(json).id}/lift`, { reason: "over" });
  });
});

const commandsOf = () => {
  if (!RULES.commands) throw new Error("no commands");
  return RULES.commands;
};

describe("rules that a hook keeps", () => {
  const undecided = async () => {
    proxy.turnTo(NOWHERE);
    const { decision, reason } = await hook(bash("git status"));
    expect([decision, reason]).toEqual(["deny", expect.stringContaining("cannot be reached")]);
  };
  const fetched = async (): Promise<string> => {
    await world.govern(RULES);
    await until(async () => {
      await hook(bash("ls"));
      return kept().length === 1;
    });
    const [file = ""] = kept();
    return file;
  };

  test("are readable by their user alone", async () => {
    verifies("local.offline-integrity");
    const file = await fetched();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    chmodSync(file, 0o644);
    await undecided();
  });

  test("are not used once changed", async () => {
    verifies("local.offline-integrity");
    const file = await fetched();
    const text = readFileSync(file, "utf8");
    for (const changed of [
      text.replace("rm -rf *", "zz -rf *"),
      text.replace(/"confirmed_at":\d+/, `"confirmed_at":${Date.now() + 1}`),
      text.replace(/^./, (first) => (first === "0" ? "1" : "0")),
      "",
      text.slice(0, 100),
    ]) {
      writeFileSync(file, changed, { mode: 0o600 });
      await undecided();
    }
  });

  test("are of one hub and one token", async () => {
    verifies("local.offline-integrity");
    const file = await fetched();
    const other = await world.another();
    proxy.turnTo(NOWHERE);
    expect((await hook(bash("ls"), { token: other.token })).reason).toContain("cannot be reached");
    // Under the other's name they are none either.
    proxy.turnTo(hubPort());
    await other.govern(RULES);
    await hook(bash("ls"), { token: other.token });
    const theirs = kept().find((one) => one !== file) ?? "";
    writeFileSync(theirs, readFileSync(file), { mode: 0o600 });
    proxy.turnTo(NOWHERE);
    expect((await hook(bash("ls"), { token: other.token })).reason).toContain("cannot be reached");
  });

  test("go with a token that is refused", async () => {
    verifies("local.offline-integrity");
    const other = await world.another();
    await other.govern(RULES);
    await hook(bash("ls"), { token: other.token });
    expect(kept()).toHaveLength(1);
    const { hub } = world.world;
    const tokens = (await hub.cli("token", "list")).json();
    const found = Array.isArray(tokens) ? tokens.find((one) => one.agent_id === other.agent) : null;
    await hub.cli("token", "revoke", Object(found).id);
    await until(async () => (await hook(bash("ls"), { token: other.token })).reason.includes("401"));
    expect(kept()).toEqual([]);
  });

  test("decide no more once too many decisions wait", async () => {
    verifies("local.offline");
    const file = await fetched();
    proxy.turnTo(NOWHERE);
    expect(await decisionOf(bash("ls"))).toBe("allow");
    appendFileSync(`${file}.decisions`, "x".repeat(262_144));
    await undecided();
    rmSync(`${file}.decisions`);
    expect(await decisionOf(bash("ls"))).toBe("allow");
  });
});

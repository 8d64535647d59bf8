import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { HARNESS_NAMES } from "#model/verdict";
import type { ProfileBody } from "#policy/profile/profile";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { detectorsOf, EnforcementWorld } from "./enforcement-world";
import { ADMIN } from "./restricted-world";

/** Written so that no home directory stands in this file. */
const ADA = ["", "home", "ada"].join("/");

type Lists = NonNullable<ProfileBody["files"]>["read"];
const lists = (more: Partial<Lists> = {}): Lists => ({ default: "allow", allow: [], ask: [], deny: [], ...more });
const commands = (more: Partial<NonNullable<ProfileBody["commands"]>>): Pick<ProfileBody, "commands"> => ({
  commands: { ...lists(), hosts: null, other_hosts: "deny", ...more },
});

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const asked = async (harness: string, json: JsonRecord) => {
  const response = await world.world.hub.fetch(`/v1/guard/hooks/harness/${harness}`, { token: world.token, json });
  expect(response.status).toBe(200);
  return { response, answer: await response.json() };
};
const bash = (line: string): JsonRecord => ({
  ...{ session_id: "s", cwd: "/repo", hook_event_name: "PreToolUse", tool_name: "Bash" },
  tool_input: { command: line, description: "…" },
});

type Form = {
  readonly shell: (line: string) => JsonRecord;
  readonly allowed: JsonRecord;
  readonly denied: (reason: unknown) => JsonRecord;
  /** Null where it cannot ask. */
  readonly asks: ((reason: unknown) => JsonRecord) | null;
};
const claude = (permissionDecision: string) => (reason: unknown) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: reason },
});

/** As each harness's documentation shows it. */
const FORMS: Readonly<Record<(typeof HARNESS_NAMES)[number], Form>> = {
  "claude-code": { shell: bash, allowed: {}, denied: claude("deny"), asks: claude("ask") },
  codex: { shell: bash, allowed: {}, denied: claude("deny"), asks: null },
  cursor: {
    shell: (line) => ({
      ...{ conversation_id: "c", generation_id: "g", workspace_roots: ["/repo"], cwd: "/repo" },
      ...{ hook_event_name: "beforeShellExecution", command: line },
    }),
    allowed: { permission: "allow" },
    denied: (reason) => ({ permission: "deny", user_message: reason, agent_message: reason }),
    asks: (reason) => ({ permission: "ask", user_message: reason, agent_message: reason }),
  },
  gemini: {
    shell: (line) => ({
      ...{ session_id: "s", cwd: "/repo", hook_event_name: "BeforeTool", tool_name: "run_shell_command" },
      tool_input: { command: line, description: "…" },
    }),
    allowed: {},
    denied: (reason) => ({ decision: "deny", reason }),
    asks: null,
  },
  copilot: {
    shell: (line) => ({
      ...{ timestamp: 1, sessionId: "s", cwd: "/repo", toolName: "bash" },
      toolArgs: JSON.stringify({ command: line, description: "…" }),
    }),
    allowed: {},
    denied: (reason) => ({ permissionDecision: "deny", permissionDecisionReason: reason }),
    asks: (reason) => ({ permissionDecision: "ask", permissionDecisionReason: reason }),
  },
};

describe("commands of a profile", () => {
  test.each(HARNESS_NAMES.map((name) => [name] as const))(
    "%s: allowed, asked about, denied, recorded",
    async (name) => {
      verifies("local.ask");
      verifies("local.commands");
      const { shell, allowed, denied, asks } = FORMS[name];
      const version = await world.govern(commands({ ask: ["git push *"], deny: ["rm -rf *"] }));
      expect((await asked(name, shell("git status"))).answer).toEqual(allowed);

      const no = await asked(name, shell("cd x && sudo sh -c 'rm -rf /'"));
      expect(no.answer).toEqual(denied(expect.stringContaining(`(profile v${version}, commands.deny)`)));
      expect(JSON.stringify(no.answer)).toContain("/calls/");
      const record = await world.record(no.response);
      const denial = { layer: `profile v${version}`, rule: "commands.deny" };
      expect(record).toMatchObject({ kind: `hook.${name}`, outcome: "blocked_output" });
      expect(record.call).toMatchObject({ action: "block", denied_by: denial, event_id: expect.any(String) });
      expect(record.call.flags).toEqual([
        expect.objectContaining({ type: "tool.command_not_allowed", action: "block", param: "tool_input", ...denial }),
      ]);

      const maybe = await asked(name, shell("git push origin main"));
      const reason = expect.stringContaining(`(profile v${version}, commands.ask)`);
      expect(maybe.answer).toEqual((asks ?? denied)(reason));
      const question = await world.record(maybe.response);
      expect([question.outcome, question.call.action]).toEqual(
        asks === null ? ["blocked_output", "block"] : ["answered", "flag"],
      );
      expect(question.call.flags).toEqual([
        expect.objectContaining({ type: "tool.command_not_allowed", layer: denial.layer, rule: "commands.ask" }),
      ]);
    },
  );

  test("lines for another shell fall under the strictest rule", async () => {
    verifies("local.unread");
    await world.govern(commands({ ask: ["git push *"] }));
    const powershell = { sessionId: "s", cwd: "C:\\repo", toolName: "powershell", toolArgs: '{"command":"ls"}' };
    expect((await asked("copilot", powershell)).answer.permissionDecision).toBe("ask");
    const onWindows = { ...FORMS.gemini.shell("ls"), cwd: "C:\\repo" };
    expect((await asked("gemini", onWindows)).answer.reason).toContain("commands.unread");
    expect((await asked("claude-code", { ...bash("ls"), cwd: "C:\\repo" })).answer).toEqual({});
  });

  test("hosts that are not on the list", async () => {
    verifies("local.hosts");
    await world.govern(commands({ hosts: ["ok.example"], other_hosts: "ask" }));
    const decision = async (line: string) =>
      (await asked("claude-code", bash(line))).answer.hookSpecificOutput?.permissionDecision ?? "allow";
    expect(await decision("curl -s https://ok.example/a | jq .")).toBe("allow");
    expect(await decision("curl https://evil.example/?x=1")).toBe("ask");
    expect(await decision("wget $URL")).toBe("ask");
  });

  test("a profile in monitor mode only records, and one without rules does nothing", async () => {
    await world.govern({ mode: "monitor", ...commands({ deny: ["rm *"] }) });
    const { answer, response } = await asked("claude-code", bash("rm -rf /"));
    expect(answer).toEqual({});
    expect((await world.record(response)).call.flags).toEqual([
      expect.objectContaining({
        type: "tool.command_not_allowed",
        action: "flag",
        would: "block",
        rule: "commands.deny",
      }),
    ]);
    await world.govern();
    expect((await asked("claude-code", bash("rm -rf 'open"))).answer).toEqual({});
  });

  test("a restriction adds its own", async () => {
    await world.govern();
    const admin = await world.world.session(ADMIN);
    const params = { commands_deny: ["git push *"], files_deny: ["**/.env"] };
    const body = { kind: "tool_restricted", params, reason: "a test", expires_in: "1h" };
    const made = await world.world.api(admin, "POST", `/agents/${world.agent}/restrictions`, body);
    expect(made.status).toBe(201);
    const reasonOf = async (json: JsonRecord) =>
      (await asked("claude-code", json)).answer.hookSpecificOutput?.permissionDecisionReason ?? "";
    expect(await reasonOf(bash("git push"))).toContain("commands.deny");
    expect(await reasonOf(bash("cat a/.env"))).toContain("files.read.deny");
    const { id } = Object(made.json);
    await world.world.api(admin, "POST", `/agents/${world.agent}/restrictions/${id}/lift`, { reason: "over" });
  });
});

describe("files of a profile", () => {
  const before = (tool: string, given: JsonRecord): JsonRecord => ({
    ...{ session_id: "s", cwd: "/repo", hook_event_name: "PreToolUse", tool_name: tool, tool_input: given },
  });
  const PATCH = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: /etc/hosts\n+x\n*** End Patch";
  const copilot = (toolName: string, args: JsonRecord) => ({
    sessionId: "s",
    cwd: "/repo",
    toolName,
    toolArgs: JSON.stringify(args),
  });
  const gemini = (tool: string, given: JsonRecord) => ({ ...before(tool, given), hook_event_name: "BeforeTool" });

  test.each<readonly [harness: string, given: JsonRecord, rule: string | null]>([
    ["claude-code", before("Read", { file_path: "/repo/a.ts" }), null],
    ["claude-code", before("Read", { file_path: `${ADA}/.ssh/id_rsa` }), "files.read.deny"],
    ["claude-code", before("Read", { file_path: `/repo/..${ADA}/.ssh/id_rsa` }), "files.read.deny"],
    ["claude-code", before("Edit", { file_path: "/repo/src/a.ts", old_string: "a", new_string: "b" }), null],
    [
      "claude-code",
      before("Edit", { file_path: "/etc/hosts", old_string: "a", new_string: "b" }),
      "files.write.default",
    ],
    ["claude-code", before("MultiEdit", { file_path: "/etc/hosts", edits: [] }), "files.write.default"],
    ["claude-code", before("Write", { file_path: "src/../../etc/hosts", content: "x" }), "files.write.default"],
    ["claude-code", before("NotebookEdit", { notebook_path: "/etc/a.ipynb", new_source: "x" }), "files.write.default"],
    ["claude-code", before("Grep", { pattern: "x", path: "~/.ssh" }), "files.read.deny"],
    ["claude-code", before("Glob", { pattern: "*", path: `${ADA}/.ssh` }), "files.read.deny"],
    ["claude-code", before("Bash", { command: "cat ~/.ssh/id_rsa" }), "files.read.deny"],
    ["codex", before("apply_patch", { command: PATCH }), "files.write.default"],
    ["codex", before("apply_patch", { command: PATCH.replace("/etc/hosts", "src/b.ts") }), null],
    ["codex", before("Bash", { command: `apply_patch <<'E'\n${PATCH}\nE` }), "files.write.default"],
    ["codex", before("shell", { command: ["bash", "-lc", "echo x > /etc/hosts"] }), "files.write.default"],
    ["gemini", gemini("read_file", { file_path: `..${ADA}/.ssh/id_rsa` }), "files.read.deny"],
    ["gemini", gemini("read_many_files", { include: ["a", `${ADA}/.ssh/id_rsa`] }), "files.read.deny"],
    ["gemini", gemini("write_file", { file_path: "/etc/hosts", content: "x" }), "files.write.default"],
    ["gemini", gemini("replace", { file_path: "/repo/src/a.ts", old_string: "a", new_string: "b" }), null],
    ["copilot", copilot("view", { path: `${ADA}/.ssh/id_rsa` }), "files.read.deny"],
    ["copilot", copilot("create", { path: "/etc/hosts", file_text: "x" }), "files.write.default"],
    ["copilot", copilot("str_replace_editor", { command: "view", path: "/etc/hosts" }), null],
    ["copilot", copilot("str_replace_editor", { command: "create", path: "/etc/hosts" }), "files.write.default"],
    [
      "cursor",
      {
        hook_event_name: "preToolUse",
        workspace_roots: ["/repo"],
        tool_name: "Write",
        tool_input: { file_path: "/etc/hosts" },
      },
      "files.write.default",
    ],
    [
      "cursor",
      {
        hook_event_name: "beforeReadFile",
        workspace_roots: ["/repo"],
        file_path: `${ADA}/.ssh/id_rsa`,
        content: "x",
      },
      "files.read.deny",
    ],
    [
      "cursor",
      { hook_event_name: "beforeReadFile", workspace_roots: ["/repo"], file_path: "/repo/a", content: "x" },
      null,
    ],
  ])("%s: %j", async (harness, given, rule) => {
    verifies("local.files");
    await governed();
    const text = JSON.stringify((await asked(harness, given)).answer);
    if (rule === null) expect(text).toMatch(/^(?:\{\}|\{"permission":"allow"\})$/);
    else expect(text).toContain(rule);
  });

  let isGoverned = false;
  const governed = async () => {
    if (isGoverned) return;
    await world.govern({
      files: { read: lists({ deny: ["~/.ssh/**"] }), write: lists({ default: "deny", allow: ["src/**"] }) },
    });
    isGoverned = true;
  };
});

describe("what a hook cannot redact", () => {
  test("is denied, or allowed and recorded where the profile says so", async () => {
    verifies("local.redact");
    const prompt = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "Refund 4539 1488 0343 6467" };
    await world.govern({ detectors: detectorsOf() });
    expect((await asked("claude-code", prompt)).answer.decision).toBe("block");
    await world.govern({ detectors: detectorsOf(), hooks: { redact: "allow", offline_minutes: 0 } });
    const { answer, response } = await asked("claude-code", prompt);
    expect(answer).toEqual({});
    expect((await world.record(response)).call.flags).toEqual([
      expect.objectContaining({ type: "pii.credit_card", action: "flag" }),
    ]);
    const key = { ...prompt, prompt: "Use AKIAJLWGWBQ6RF4XWVRF" };
    expect((await asked("claude-code", key)).answer.decision).toBe("block");
  });
});

describe("guardhouse hook", () => {
  test("refuses a command that the profile denies", async () => {
    verifies("local.commands");
    await world.govern(commands({ deny: ["rm -rf *"] }));
    const child = Bun.spawn([...command(), "hook", "--harness", "claude-code"], {
      stdin: Buffer.from(JSON.stringify(bash("ls && rm -rf /"))),
      stdout: "pipe",
      env: { PATH: process.env["PATH"] ?? "", GUARDHOUSE_URL: world.world.hub.url, GUARDHOUSE_TOKEN: world.token },
    });
    const text = await new Response(child.stdout).text();
    expect(JSON.parse(text)).toEqual(claude("deny")(expect.stringContaining("commands.deny")));
  });
});

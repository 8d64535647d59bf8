import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "#test/support/program";
import { ScriptedModel } from "#test/support/scripted-model";
import { EnforcementWorld } from "./enforcement-world";
import { until } from "./restricted-world";

/*
 * The coding agents themselves, with a scripted model, where they are installed: `CLAUDE_CODE_BIN`, `CODEX_BIN`,
 * `GEMINI_CLI_BIN` and `COPILOT_BIN` name them.
 */

type Setting = {
  readonly home: string;
  readonly repo: string;
  readonly model: string;
  /** The hook's command line. */
  readonly hook: string;
};
type Agent = {
  readonly variable: string;
  readonly harness: string;
  readonly begin: (setting: Setting) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
};

const written = (file: string, content: object): void => {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
};

const AGENTS: readonly Agent[] = [
  {
    variable: "CLAUDE_CODE_BIN",
    harness: "claude-code",
    begin: ({ home, model, hook }) => {
      const hooks = [{ matcher: "*", hooks: [{ type: "command", command: hook }] }];
      written(join(home, "settings.json"), { hooks: { PreToolUse: hooks, PostToolUse: hooks } });
      return {
        args: ["-p", "go", "--settings", join(home, "settings.json"), "--allowedTools", "Bash"],
        env: { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      };
    },
  },
  {
    variable: "CODEX_BIN",
    harness: "codex",
    begin: ({ home, model, hook }) => {
      const hooks = [{ matcher: ".*", hooks: [{ type: "command", command: hook }] }];
      written(join(home, ".codex", "hooks.json"), { hooks: { PreToolUse: hooks } });
      const provider = `{name="scripted",base_url="${model}/v1",wire_api="responses",requires_openai_auth=false}`;
      return {
        args: [
          ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
          ...["--dangerously-bypass-hook-trust", "-c", "model_provider=scripted"],
          ...["-c", `model_providers.scripted=${provider}`, "-m", "gpt-5", "go"],
        ],
        env: { CODEX_HOME: join(home, ".codex") },
      };
    },
  },
  {
    variable: "GEMINI_CLI_BIN",
    harness: "gemini",
    begin: ({ home, model, hook }) => {
      const hooks = [{ matcher: "*", hooks: [{ type: "command", command: hook }] }];
      const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
      written(join(home, ".gemini", "settings.json"), { security, hooks: { BeforeTool: hooks } });
      return {
        args: ["-p", "go", "--yolo", "-m", "gemini-2.5-flash"],
        env: { GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: "none", GEMINI_CLI_TRUST_WORKSPACE: "true" },
      };
    },
  },
  {
    variable: "COPILOT_BIN",
    harness: "copilot",
    begin: ({ home, model, hook }) => {
      written(join(home, ".copilot", "hooks", "guardhouse.json"), {
        version: 1,
        hooks: { preToolUse: [{ type: "command", bash: hook, timeoutSec: 20 }] },
      });
      return {
        args: ["-p", "go", "--allow-all-tools", "--no-auto-update"],
        env: {
          ...{
            COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
            COPILOT_PROVIDER_TYPE: "openai",
            COPILOT_PROVIDER_API_KEY: "none",
          },
          ...{ COPILOT_MODEL: "m", COPILOT_OFFLINE: "true" },
        },
      };
    },
  },
];

const installed = AGENTS.flatMap((agent) => {
  const program = process.env[agent.variable];
  return program === undefined ? [] : [{ ...agent, program }];
});

describe.skipIf(installed.length === 0)("a coding agent whose hook is guardhouse hook", () => {
  let world: EnforcementWorld;
  beforeAll(async () => {
    world = await EnforcementWorld.open();
    await world.govern({
      commands: {
        ...{ default: "allow", allow: [], ask: [], deny: ["touch denied*"] },
        ...{ hosts: null, other_hosts: "deny" },
      },
    });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test.each(installed)("$harness", async ({ harness, program, begin }) => {
    const home = mkdtempSync(join(tmpdir(), "agent-home-"));
    const repo = join(home, "repo");
    mkdirSync(repo);
    await using model = new ScriptedModel(["true && touch denied.txt", "touch allowed.txt"]);
    const hook = [...command(), "hook", "--harness", harness].join(" ");
    const { args, env } = begin({ home, repo, model: model.url, hook });
    const child = Bun.spawn([program, ...args], {
      cwd: repo,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 90_000,
      env: {
        ...{ PATH: process.env["PATH"] ?? "", HOME: home, NO_COLOR: "1" },
        ...{ GUARDHOUSE_URL: world.world.hub.url, GUARDHOUSE_TOKEN: world.token, ...env },
      },
    });
    const said = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
    const seen = [existsSync(join(repo, "denied.txt")), existsSync(join(repo, "allowed.txt"))];
    expect([seen, said.join("\n").slice(0, 4_000), model.asked.slice(0, 20)]).toEqual([
      [false, true],
      expect.any(String),
      expect.any(Array),
    ]);
    await until(async () => {
      const all = (await world.world.hub.cli("audit", "tail", "-n", "500")).json();
      const calls = Array.isArray(all) ? all.filter(({ kind }) => kind === `hook.${harness}`) : [];
      return (
        calls.some(({ outcome }) => outcome === "blocked_output") && calls.some(({ outcome }) => outcome === "answered")
      );
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CANARY } from "#clients/canary";
import { CONNECTED } from "#clients/clients";
import { CLIENT_IDS } from "#clients/ids";
import { RestrictedWorld } from "#test/flow/restricted-world";
import { command, executable, inProcess, type Result, runProcess } from "#test/support/program";
import { verifies } from "#test/support/verifies";

let world: RestrictedWorld;
let home: string;
beforeAll(async () => {
  world = await RestrictedWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-connect-"));
  return () => rm(home, { recursive: true, force: true });
});

const environment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  GUARDHOUSE_URL: world.hub.url,
  GUARDHOUSE_TOKEN: world.tokens.agent,
  // Where the executable is its source, the runtime keeps what it compiled.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
});

const connect = (args: readonly string[], env: Record<string, string> = {}, program = inProcess): Promise<Result> =>
  program.run(["connect", ...args], { cwd: home, env: { ...environment(), ...env } });

/** It worked; what it printed. */
const done = async (args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const { code, stdout, stderr } = await connect(args, env);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  expect(stdout).not.toContain(world.tokens.agent);
  return stdout;
};

/** It was refused, and nothing changed. */
const refused = async (args: readonly string[], words: string, env: Record<string, string> = {}): Promise<void> => {
  const before = tree();
  const { code, stderr } = await connect(args, env);
  expect({ code: code !== 0, stderr }).toEqual({ code: true, stderr: expect.stringContaining(words) });
  expect(tree()).toEqual(before);
};

/** Every file and folder below the home, with its bytes and mode. */
const tree = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => {
        const stats = lstatSync(join(home, name));
        const content = stats.isFile()
          ? readFileSync(join(home, name), "latin1")
          : stats.isDirectory()
            ? "folder"
            : "link";
        return [name, `${(stats.mode & 0o777).toString(8)} ${content}`];
      }),
  );

const put = async (name: string, text: string, mode = 0o644): Promise<string> => {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

const read = (name: string): string => readFileSync(join(home, name), "utf8");

/** What people have in the files of each client. */
const LIVED_IN: Readonly<Record<string, readonly (readonly [name: string, text: string])[]>> = {
  "claude-code": [
    [
      ".claude/settings.json",
      '{\n    "env": { "ANTHROPIC_AUTH_TOKEN": "old", "FOO": "1", "CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CODE_USE_VERTEX": "1", "CLAUDE_CODE_USE_FOUNDRY": "1" },\n    "hooks": {\n        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }]\n    }\n}',
    ],
    [".claude.json", '{"numStartups":7,"mcpServers":{"own":{"command":"x"}}}\n'],
  ],
  codex: [
    [".codex/config.toml", '# mine\r\nmodel = "gpt-5"\r\n\r\n[mcp_servers.own]\r\ncommand = "x" # local\r\n'],
    [".codex/hooks.json", '{ "hooks": { "Stop": [] } }'],
  ],
  cursor: [[".cursor/mcp.json", '\ufeff{\n\t"mcpServers": {}\n}\n']],
  vscode: [
    [".config/Code/User/mcp.json", '{\n\t// servers of mine\n\t"servers": {},\n}'],
    [".config/Code/User/chatLanguageModels.json", '[\n  { "name": "Ollama", "vendor": "ollama" }\n]\n'],
  ],
  opencode: [[".config/opencode/opencode.jsonc", '{\n  // mine\n  "theme": "system",\n}\n']],
  zed: [
    [
      ".config/zed/settings.json",
      '// Zed settings\n{\n  "vim_mode": true,\n  "context_servers": { "own": { "url": "https://x" } }\n}\n',
    ],
  ],
  continue: [
    [".continue/config.yaml", "name: mine\n"],
    [".continue/.env", "OTHER=1"],
  ],
  openai: [],
};

describe.each(CLIENT_IDS)("%s", (id) => {
  const client = CONNECTED.find((one) => one.id === id);
  if (!client) throw new Error(`no client ${id}`);

  test.each(["an empty home", "files that were there"])("is connected, once, and disconnected: %s", async (start) => {
    verifies("connect.writes", "connect.undo", "connect.token");
    if (start !== "an empty home") for (const [name, text] of LIVED_IN[id] ?? []) await put(name, text);
    const before = tree();
    await done([id]);
    const connected = tree();
    expect(connected).not.toEqual(before);
    for (const [name, content] of Object.entries(before))
      if (content.endsWith("folder")) expect(connected[name]).toBe(content);
    await done([id]);
    expect(tree()).toEqual(connected);
    // The token is in private files alone, and in those of clients that read it from nowhere else.
    const holders = Object.entries(connected).filter(([, content]) => content.includes(world.tokens.agent));
    for (const [name, content] of holders) expect([name, content.slice(0, 3)]).toEqual([name, "600"]);
    const named = holders.map(([name]) => name).filter((name) => !name.endsWith("connect.json"));
    expect(named.length > 0).toBe(["vscode", "zed", "continue"].includes(id));
    await done([id, "--undo"]);
    expect(tree()).toEqual(before);
  });

  test("shows what it would write, and writes nothing", async () => {
    verifies("connect.writes", "connect.token");
    const shown = await done([id, "--print"]);
    expect(tree()).toEqual({});
    await done([id]);
    for (const file of JSON.parse(await done([id, "--print", "--json"])).files) {
      expect(file.action).toBe("keep");
      expect(shown).toContain(`# ${file.path} (create)`);
      expect(readFileSync(file.path, "utf8").replaceAll(world.tokens.agent, "gw-live-…")).toBe(`${file.text}\n`);
    }
  });

  test("is as the hub is then: another address and model are taken over, and undone with the first", async () => {
    verifies("connect.writes", "connect.undo");
    for (const [name, text] of LIVED_IN[id] ?? []) await put(name, text);
    const before = tree();
    await done([id]);
    const first = tree();
    await done([id, "--model", "guardhouse/echo"], { GUARDHOUSE_URL: world.hub.url.replace("127.0.0.1", "localhost") });
    expect(tree()).not.toEqual(first);
    expect(JSON.stringify(tree())).not.toContain(`${world.hub.url}/mcp`);
    await done([id, "--undo"]);
    expect(tree()).toEqual(before);
  });
});

describe("what is written", () => {
  test("Claude Code's helper prints the token, and its hook refuses a prompt with a secret", async () => {
    verifies("connect.writes");
    await done(["claude-code"]);
    const settings = JSON.parse(read(".claude/settings.json"));
    expect(settings.env).toEqual({ ANTHROPIC_BASE_URL: world.hub.url });
    const env = environment();
    expect(await runProcess(["sh", "-c", settings.apiKeyHelper], { env, cwd: home })).toMatchObject({
      stdout: world.tokens.agent,
    });
    const [{ hooks }] = settings.hooks.UserPromptSubmit;
    const [program, ...words] = hooks[0].command.split(" ");
    expect(program).toBe("guardhouse");
    const stdin = JSON.stringify({ hook_event_name: "UserPromptSubmit", prompt: CANARY });
    const { stdout } = await runProcess([...command(), ...words], { env, cwd: home, stdin });
    expect(JSON.parse(stdout).decision).toBe("block");
  });

  test("what people had stays beside it", async () => {
    verifies("connect.keeps");
    for (const [name, text] of LIVED_IN["claude-code"] ?? []) await put(name, text);
    await done(["claude-code"]);
    const settings = JSON.parse(read(".claude/settings.json"));
    expect(settings.env).toEqual({ FOO: "1", ANTHROPIC_BASE_URL: world.hub.url });
    expect(settings.hooks.PreToolUse.map((group: { matcher: string }) => group.matcher)).toEqual(["Bash", "*"]);
    expect(Object.keys(JSON.parse(read(".claude.json")).mcpServers)).toEqual(["own", "hub"]);
    // A group with hooks of other programs is not ours, even with one of ours in it.
    const mixed = [{ hooks: [{ command: "mine" }, { command: "guardhouse hook --harness claude-code" }] }];
    await put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: mixed } }));
    await done(["claude-code"]);
    expect(JSON.parse(read(".claude/settings.json")).hooks.PreToolUse).toEqual([...mixed, expect.anything()]);
  });

  test("a hook that a person adds beside ours in its group leaves ours once, and stays", async () => {
    verifies("connect.keeps", "connect.undo");
    await done(["claude-code"]);
    const connected = JSON.parse(read(".claude/settings.json"));
    connected.hooks.PreToolUse[0].hooks.push({ type: "command", command: "mine" });
    await put(".claude/settings.json", JSON.stringify(connected));
    await done(["claude-code"], { GUARDHOUSE_URL: world.hub.url.replace("127.0.0.1", "localhost") });
    const groups = JSON.parse(read(".claude/settings.json")).hooks.PreToolUse;
    const commands = groups.flatMap(({ hooks }: { hooks: { command: string }[] }) =>
      hooks.map(({ command }) => command),
    );
    expect(commands).toEqual([expect.stringContaining("--url http://localhost"), "mine"]);
    await done(["claude-code", "--undo", "--force"]);
    const left = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "mine" }] }] };
    expect(JSON.parse(read(".claude/settings.json"))).toEqual({ hooks: left });
  });

  test("VS Code's own models of the same name stay, and another address takes the place of ours", async () => {
    verifies("connect.keeps");
    const path = ".config/Code/User/chatLanguageModels.json";
    const own = {
      name: "Guardhouse",
      vendor: "customendpoint",
      models: [{ id: "m", url: "https://own.example.com/v1" }],
    };
    await put(path, JSON.stringify([own]));
    await done(["vscode"]);
    expect(JSON.parse(read(path))).toEqual([own, expect.anything()]);
    await done(["vscode"], { GUARDHOUSE_URL: world.hub.url.replace("127.0.0.1", "localhost") });
    expect(JSON.parse(read(path))).toEqual([own, expect.anything()]);
    expect(read(path)).not.toContain("127.0.0.1");
  });

  test("a new file is private, whatever the system makes of new ones", async () => {
    verifies("connect.writes");
    await done(["claude-code"]);
    for (const name of [".claude/settings.json", ".claude.json"]) expect(tree()[name]).toStartWith("600 ");
  });

  test("a lock that a process left behind is taken over; one of a process that runs is not", async () => {
    verifies("connect.refuses");
    const lock = ".local/state/guardhouse/connect.lock";
    const { pid, exited } = Bun.spawn(["true"]);
    await exited;
    for (const left of [String(pid), ""]) {
      const path = await put(lock, left);
      utimesSync(path, 0, 0);
      await done(["claude-code"]);
      await done(["claude-code", "--undo"]);
      await rm(join(home, ".local"), { recursive: true, force: true });
    }
    await put(lock, String(process.pid));
    await refused(["claude-code"], "Another `connect` is at work");
    await put(lock, "");
    await refused(["claude-code"], "Another `connect` is at work");
    // As root every process may be asked; another user's is there all the same.
    await put(lock, "1");
    await refused(["claude-code"], "Another `connect` is at work");
  });

  test("by the executable, from the variables a client itself goes by", async () => {
    verifies("connect.writes");
    const env = { CLAUDE_CONFIG_DIR: join(home, "elsewhere") };
    const { code } = await connect(["claude-code"], env, executable);
    expect(code).toBe(0);
    expect(Object.keys(tree()).filter((name) => name.startsWith("elsewhere/"))).toEqual([
      "elsewhere/.claude.json",
      "elsewhere/settings.json",
    ]);
    expect((await connect(["claude-code", "--undo"], env, executable)).code).toBe(0);
    expect(tree()).toEqual({});
  });

  test("through a link the file behind it, which stays one; never with a token in it", async () => {
    verifies("connect.refuses");
    await put("dotfiles/settings.json", "{}\n");
    await mkdir(join(home, ".claude"));
    symlinkSync(join(home, "dotfiles/settings.json"), join(home, ".claude/settings.json"));
    const before = tree();
    await done(["claude-code"]);
    expect(lstatSync(join(home, ".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/settings.json")).toContain("apiKeyHelper");
    await done(["claude-code", "--undo"]);
    expect(tree()).toEqual(before);
    await mkdir(join(home, ".config/zed"), { recursive: true });
    symlinkSync(join(home, "dotfiles/settings.json"), join(home, ".config/zed/settings.json"));
    await refused(["zed"], "is a link, and would hold the token");
  });

  test.each([
    ["zed", ".config/zed"],
    ["zed", ".config"],
    ["continue", ".continue"],
  ])("never with a token through a folder that is a link: %s, %s", async (id, link) => {
    verifies("connect.refuses", "connect.token");
    await mkdir(join(home, "dotfiles"));
    await mkdir(dirname(join(home, link)), { recursive: true });
    symlinkSync(join(home, "dotfiles"), join(home, link));
    await refused([id], "is in a folder that is a link");
  });

  test("a token is written below a home that is itself behind a link", async () => {
    verifies("connect.writes");
    await mkdir(join(home, "real"));
    symlinkSync(join(home, "real"), join(home, "linked"));
    await done(["zed"], { HOME: join(home, "linked") });
    expect(read("real/.config/zed/settings.json")).toContain(world.tokens.agent);
  });

  test("a file that cannot be written as a whole is refused, and so are those beside it", async () => {
    verifies("connect.refuses");
    const settings = await put(".claude/settings.json", '{ "env": }');
    await refused(["claude-code"], "line 1: ValueExpected");
    writeFileSync(settings, "{}");
    await put(".claude.json", "{}", 0o444);
    await refused(["claude-code"], ".claude.json is read-only");
    chmodSync(join(home, ".claude.json"), 0o600);
    writeFileSync(join(home, ".claude.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    await refused(["claude-code"], "is not UTF-8");
    await rm(join(home, ".claude.json"));
    await mkdir(join(home, ".claude.json"));
    await refused(["claude-code"], "is not a file");
    await put(".continue/models/guardhouse.yaml", "mine\n");
    await refused(["continue"], "is there, and not by `connect`");
    await put(".codex/config.toml", 'model_providers = { hub = { name = "x" } }\n');
    await refused(["codex"], "model_providers.hub");
  });

  test("several at once: each is done or refused, and one --undo takes all of it back", async () => {
    verifies("connect.refuses");
    await put(".claude/settings.json", "{}\n");
    const before = tree();
    // Who makes the folders has to be who removes them, whatever the order.
    for (let round = 0; round < 4; round += 1) {
      const runs = await Promise.all(Array.from({ length: 4 }, () => connect(["claude-code"], {}, executable)));
      for (const { code, stderr } of runs) if (code !== 0) expect(stderr).toContain("Another `connect` is at work");
      expect(runs.some(({ code }) => code === 0)).toBe(true);
      await done(["claude-code", "--undo"]);
      expect(tree()).toEqual(before);
    }
  });
});

describe("undo", () => {
  test("a file that was changed since is refused, and all others with it; by force what was changed stays", async () => {
    verifies("connect.undo");
    await put(".claude.json", '{\n  "numStartups": 1\n}\n');
    await done(["claude-code"]);
    const changed = read(".claude.json").replace('"numStartups": 1', '"numStartups": 2');
    writeFileSync(join(home, ".claude.json"), changed);
    await refused(["claude-code", "--undo"], ".claude.json: changed since");
    await done(["claude-code", "--undo", "--force"]);
    expect(JSON.parse(read(".claude.json"))).toEqual({ numStartups: 2 });
    expect(Object.keys(tree())).toEqual([".claude.json"]);
  });

  test("a client that writes its own file meanwhile is connected anew, and undone to what it made of it", async () => {
    verifies("connect.undo");
    await done(["claude-code"]);
    const grown = { ...JSON.parse(read(".claude.json")), numStartups: 3 };
    writeFileSync(join(home, ".claude.json"), JSON.stringify(grown));
    await done(["claude-code", "--model", "guardhouse/echo"], { GUARDHOUSE_URL: `${world.hub.url}/` });
    await done(["claude-code", "--undo", "--force"]);
    expect(JSON.parse(read(".claude.json"))).toEqual({ numStartups: 3 });
  });

  test("nothing to undo is said", async () => {
    expect((await connect(["codex", "--undo"])).code).toBe(9);
    expect(tree()).toEqual({});
  });
});

/** A `PATH` on which `guardhouse` is found. */
const withProgram = async (): Promise<Record<string, string>> => {
  const words = command().map((word) => `'${word}'`);
  const script = await put("bin/guardhouse", `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, 0o755);
  return { PATH: `${dirname(script)}:${process.env["PATH"] ?? ""}` };
};

const seenIn = (checks: readonly { check: string; seen: string }[]): Record<string, string> =>
  Object.fromEntries(checks.map(({ check, seen }) => [check, seen]));

describe("check", () => {
  test("a call, a block, a refused prompt and the tools are seen, once the settings are written", async () => {
    verifies("connect.check");
    const env = await withProgram();
    const before = tree();
    const early = await connect(["claude-code", "--check", "--json"], env);
    expect([early.code, JSON.parse(early.stdout).ok]).toEqual([1, false]);
    expect(tree()).toEqual(before);
    await done(["claude-code"], env);
    const { ok, checks } = JSON.parse(await done(["claude-code", "--check", "--json"], env));
    expect(ok).toBe(true);
    const seen = seenIn(checks);
    expect(seen).toEqual({
      settings: expect.stringContaining("as `connect` writes them"),
      call: expect.stringMatching(/^guardhouse\/echo answered, call [0-9a-f-]+$/),
      block: expect.stringContaining("was blocked"),
      hook: expect.stringMatching(/^`guardhouse hook .*` refused a prompt/),
      tools: expect.stringContaining("files__read"),
    });
    const id = /call (\S+)$/.exec(seen["block"] ?? "")?.[1];
    const records = await world.records("messages.create");
    expect(records.find(({ call_id }) => call_id === id)).toMatchObject({ outcome: "blocked_input" });
  });

  test("each client's calls are made by its own API", async () => {
    verifies("connect.check");
    const env = await withProgram();
    await done(["codex"], env);
    const { checks } = JSON.parse(await done(["codex", "--check", "--json"], env));
    const id = /call (\S+)$/.exec(seenIn(checks)["call"] ?? "")?.[1];
    expect((await world.records("responses.create")).map(({ call_id }) => call_id)).toContain(id);
  });

  test("a hook that is not there is said, and the checks after it are made", async () => {
    verifies("connect.check");
    const bin = await put("empty/file", "");
    const env = { PATH: `${dirname(bin)}:/usr/bin:/bin` };
    await done(["claude-code"], env);
    const { code, stdout } = await connect(["claude-code", "--check", "--json"], env);
    const { checks } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true, false, true]);
    expect(seenIn(checks)["hook"]).toContain("did not refuse a prompt with a made-up access key (exit code 127)");
  });

  test("settings that cannot be read are said, and the other checks are made", async () => {
    verifies("connect.check");
    const env = await withProgram();
    await put(".claude/settings.json", "{");
    const { stdout } = await connect(["claude-code", "--check", "--json"], env);
    const { checks } = JSON.parse(stdout);
    expect(checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, true, true, true, true]);
    expect(seenIn(checks)["settings"]).toContain("settings.json cannot be read");
  });

  test("a hub that does not block is said, with exit code 1", async () => {
    verifies("connect.check");
    await using lax = await RestrictedWorld.open({ env: { GUARDHOUSE_GUARD__MODE: "monitor" } });
    const env = { GUARDHOUSE_URL: lax.hub.url, GUARDHOUSE_TOKEN: lax.tokens.agent };
    await connect(["codex"], env);
    const { code, stdout } = await connect(["codex", "--check"], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED {2}block .*was not blocked/);
  });
});

describe("a hub that cannot be asked", () => {
  test.each([
    ["a token it does not know", { GUARDHOUSE_TOKEN: "gw-live-nobody0000" }, "401 invalid_api_key"],
    ["nobody there", { GUARDHOUSE_URL: "http://127.0.0.1:1" }, "cannot be reached"],
    ["no address", { GUARDHOUSE_URL: "hub" }, "must be an address"],
    ["an address a shell would read", { GUARDHOUSE_URL: "http://127.0.0.1:1/$(x)" }, "has a path of"],
    ["a host a shell would read", { GUARDHOUSE_URL: "http://a`x`$(x)&b" }, "has a host of"],
    ["no token", { GUARDHOUSE_TOKEN: "" }, "Set GUARDHOUSE_URL"],
    ["a token a shell would read", { GUARDHOUSE_TOKEN: "gw-live-$(x)aaaa" }, "is no gateway token"],
  ])("is said before anything is written: %s", async (_, env, words) => {
    verifies("connect.refuses");
    await refused(["claude-code"], words, env);
  });

  test("a model the token may not use, flags that do not go together, and clients there are none of", async () => {
    await refused(["claude-code", "--model", "gpt-9"], "--model gpt-9");
    await refused(["claude-code", "--undo", "--print"], "do not go together");
    await refused(["claude-code", "--force"], "--force is for --undo");
    await refused(["claude"], "no client claude");
    await refused(["zed", "--managed"], "one of claude-code, codex, cursor");
  });
});

describe("fleets", () => {
  test("Claude Code: hooks are locked, models and tool servers are those of the token", async () => {
    verifies("connect.managed");
    const { files } = JSON.parse(await done(["claude-code", "--managed", "--json"]));
    const [settings, servers] = files.map(({ text }: { text: string }) => JSON.parse(text));
    const models = await world.hub.fetch("/v1/models", { token: world.tokens.agent }).then((answer) => answer.json());
    expect(settings).toMatchObject({
      env: {
        ANTHROPIC_BASE_URL: world.hub.url,
        CLAUDE_CODE_USE_BEDROCK: "0",
        CLAUDE_CODE_USE_VERTEX: "0",
        CLAUDE_CODE_USE_FOUNDRY: "0",
      },
      allowManagedHooksOnly: true,
      allowManagedMcpServersOnly: true,
      allowedMcpServers: [{ serverUrl: `${world.hub.url}/mcp/gateway` }],
      availableModels: models.data.map(({ id }: { id: string }) => id),
    });
    expect(settings.hooks.PreToolUse[0].hooks[0]).toMatchObject({
      command: `/usr/local/bin/guardhouse hook --harness claude-code --url ${world.hub.url}`,
      onFailure: "block",
    });
    expect(Object.keys(servers.mcpServers)).toEqual(["hub"]);
  });

  test("Codex and Cursor: files that they read, written to a folder", async () => {
    verifies("connect.managed");
    await done(["codex", "--managed", "--out", join(home, "fleet")]);
    const requirements = Object(Bun.TOML.parse(read("fleet/requirements.toml")));
    expect(requirements.allow_managed_hooks_only).toBe(true);
    expect(requirements.hooks.PreToolUse[0].hooks[0].command).toContain("hook --harness codex");
    expect(requirements.mcp_servers.hub.identity.url).toBe(`${world.hub.url}/mcp/gateway`);
    expect(Object(Bun.TOML.parse(read("fleet/config.toml"))).model_providers.hub.env_key).toBe("GUARDHOUSE_TOKEN");
    await done(["cursor", "--managed", "--out", join(home, "fleet")]);
    const { version, hooks } = JSON.parse(read("fleet/hooks.json"));
    expect([version, hooks.beforeShellExecution[0].failClosed]).toEqual([1, true]);
  });
});

test("managed hooks start the program by an absolute path, and by no other", async () => {
  verifies("connect.managed");
  const commandOf = async (place: string): Promise<string> => {
    const { files } = JSON.parse(await done(["cursor", "--managed", "--json", "--command", place]));
    return JSON.parse(files[0].text).hooks.beforeSubmitPrompt[0].command.replace(/ hook .*/, "");
  };
  expect(await commandOf("/opt/guardhouse")).toBe("/opt/guardhouse");
  expect(await commandOf("C:\\Program Files\\guardhouse.exe")).toBe('"C:\\Program Files\\guardhouse.exe"');
  await refused(["cursor", "--managed", "--command", "guardhouse"], "--command: an absolute path");
  await refused(["cursor", "--managed", "--command", "/bin/$(x)"], "--command: an absolute path");
  await refused(["cursor", "--command", "/bin/x"], "--command is for --managed");
});

test("every client is on the command line, in its order", () => {
  expect(CONNECTED.map(({ id }) => id)).toEqual([...CLIENT_IDS]);
});

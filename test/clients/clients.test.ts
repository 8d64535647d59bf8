import { describe, expect, test } from "bun:test";
import { stateFolder } from "#cli/connect/places";
import type { Places, Target } from "#clients/client";
import { CONNECTED } from "#clients/clients";
import { EXAMPLES } from "#clients/examples";
import { PROGRAMS } from "#clients/programs";
import { runProcess } from "#test/support/program";
import { verifies } from "#test/support/verifies";

const TARGET: Target = {
  hub: "https://hub.example.com",
  token: "gw-live-0123456789abcdef",
  models: ["m"],
  model: null,
  guardhouse: "guardhouse",
};

const HOMES = { linux: "/srv/ada", darwin: "/srv/ada", win32: "C:\\ada" } as const;

/** Every file of every client, by where it is. */
const pathsOn = (platform: Places["platform"], variables: Readonly<Record<string, string>> = {}): string[] => {
  const places: Places = { platform, home: HOMES[platform], variable: (name) => variables[name] };
  const files = CONNECTED.flatMap((client) => client.files(TARGET, places).flatMap(({ paths }) => [...paths]));
  return [...files, stateFolder(places)];
};

test("on macOS Zed goes by no variable", () => {
  verifies("connect.writes");
  expect(pathsOn("darwin", { XDG_CONFIG_HOME: "/c" })).toContain("/srv/ada/.config/zed/settings.json");
});

test("examples name the systems a place is on, and where it is on others", () => {
  const systemsOf = (id: string): (string | null)[] =>
    EXAMPLES.filter((example) => example.id === id).flatMap(({ snippets }) =>
      snippets({ hub: TARGET.hub, token: TARGET.token, model: "m", words: "Hello" }).map(({ systems }) => systems),
    );
  expect(systemsOf("zed")).toEqual([null, "Linux, macOS; Windows: %APPDATA%\\Zed\\settings.json"]);
  expect(systemsOf("vscode")[1]).toBe(
    "Linux; macOS: ~/Library/Application Support/Code/User/mcp.json; Windows: %APPDATA%\\Code\\User\\mcp.json",
  );
  expect(systemsOf("claude-code")).toEqual([null, null, null]);
});

test("examples quote what is typed as the model", async () => {
  const model = `a'$(id)'"\\`;
  const texts = Object.fromEntries(
    EXAMPLES.map(({ id, snippets }) => [
      id,
      snippets({ hub: TARGET.hub, token: TARGET.token, model, words: "Hello" })[0]?.text ?? "",
    ]),
  );
  const bodyOf = async (text: string): Promise<unknown> => {
    const script = text.replace(/^curl .*-d /s, "printf %s ");
    return JSON.parse((await runProcess(["sh", "-c", script], { env: {}, cwd: "/" })).stdout);
  };
  expect(await bodyOf(texts["curl"] ?? "")).toMatchObject({ model });
  for (const id of PROGRAMS.filter(({ uses, id }) => uses === "models" && id !== "curl").map(({ id }) => id)) {
    expect(texts[id]).toContain(JSON.stringify(model));
    expect(texts[id]).not.toContain(`"${model}"`);
  }
});

describe("where the files of clients are", () => {
  test("on Linux, by XDG", () => {
    verifies("connect.writes");
    expect(pathsOn("linux")).toEqual([
      "/srv/ada/.claude/settings.json",
      "/srv/ada/.claude.json",
      "/srv/ada/.codex/config.toml",
      "/srv/ada/.codex/hooks.json",
      "/srv/ada/.cursor/mcp.json",
      "/srv/ada/.cursor/hooks.json",
      "/srv/ada/.config/Code/User/mcp.json",
      "/srv/ada/.config/Code/User/chatLanguageModels.json",
      "/srv/ada/.config/opencode/opencode.json",
      "/srv/ada/.config/opencode/opencode.jsonc",
      "/srv/ada/.config/zed/settings.json",
      "/srv/ada/.continue/models/guardhouse.yaml",
      "/srv/ada/.continue/mcpServers/guardhouse.yaml",
      "/srv/ada/.continue/.env",
      "/srv/ada/.config/guardhouse/openai.sh",
      "/srv/ada/.local/state/guardhouse",
    ]);
    const moved = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", CODEX_HOME: "/x", CLAUDE_CONFIG_DIR: "/y" };
    expect(pathsOn("linux", moved).filter((path) => !/^\/srv/.test(path))).toEqual([
      "/y/settings.json",
      "/y/.claude.json",
      "/x/config.toml",
      "/x/hooks.json",
      "/c/Code/User/mcp.json",
      "/c/Code/User/chatLanguageModels.json",
      "/c/opencode/opencode.json",
      "/c/opencode/opencode.jsonc",
      "/c/zed/settings.json",
      "/c/guardhouse/openai.sh",
      "/s/guardhouse",
    ]);
  });

  test("on macOS", () => {
    verifies("connect.writes");
    expect(pathsOn("darwin").filter((path) => !pathsOn("linux").includes(path))).toEqual([
      "/srv/ada/Library/Application Support/Code/User/mcp.json",
      "/srv/ada/Library/Application Support/Code/User/chatLanguageModels.json",
      "/srv/ada/Library/Application Support/guardhouse",
    ]);
  });

  test("on Windows", () => {
    verifies("connect.writes");
    const roaming = { APPDATA: "C:\\ada\\AppData\\Roaming", LOCALAPPDATA: "C:\\ada\\AppData\\Local" };
    expect(pathsOn("win32", roaming)).toEqual(pathsOn("win32"));
    expect(pathsOn("win32")).toEqual(
      expect.arrayContaining([
        "C:\\ada\\.claude\\settings.json",
        "C:\\ada\\.codex\\config.toml",
        "C:\\ada\\.config\\opencode\\opencode.json",
        "C:\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
        "C:\\ada\\AppData\\Roaming\\Zed\\settings.json",
        "C:\\ada\\AppData\\Roaming\\guardhouse\\openai.ps1",
        "C:\\ada\\AppData\\Local\\guardhouse",
      ]),
    );
  });
});

test("the token is in no managed file", () => {
  verifies("connect.managed", "connect.token");
  const files = CONNECTED.flatMap((client) => client.managed?.(TARGET) ?? []);
  expect(files.map(({ name }) => name)).toHaveLength(5);
  expect(JSON.stringify(files)).not.toContain(TARGET.token);
});

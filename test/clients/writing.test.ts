import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { stateFolder } from "#cli/connect/places";
import { BackupStore } from "#cli/connect/state";
import { planOf, undo, write } from "#cli/connect/writing";
import { CliExit } from "#cli/exit";
import type { Client, Places, Target } from "#clients/client";
import { CONNECTED } from "#clients/clients";
import { envFile, jsonFile, tomlFile } from "#test/clients/files";
import { verifies } from "#test/support/verifies";

const TARGET: Target = {
  hub: "https://hub.example.com",
  token: "gw-live-0123456789abcdef",
  models: ["guardhouse/echo", "other"],
  model: null,
  guardhouse: "guardhouse",
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-writing-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const places = (): Places => ({ platform: "linux", home, variable: () => undefined });
const store = (): BackupStore => new BackupStore(stateFolder(places()));

const connect = (client: Client, target = TARGET): void => {
  const backup = store();
  backup.exclusively(() => write(client, planOf(client, target, places(), backup), backup));
};
const disconnect = (client: Client, force = false): unknown => {
  const backup = store();
  return backup.exclusively(() => undo(client, backup, force));
};

const clientOf = (id: string): Client => {
  const client = CONNECTED.find((one) => one.id === id);
  if (!client) throw new Error(`no client ${id}`);
  return client;
};

/** Every file below the home by its bytes, every folder, with modes. */
const tree = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => {
        const stats = statSync(join(home, name));
        return [name, `${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(join(home, name), "latin1") : ""}`];
      }),
  );

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const FILES = { json: jsonFile, toml: tomlFile, env: envFile };

describe.each(CONNECTED.map(({ id }) => id))("%s", (id) => {
  const client = clientOf(id);

  test("whatever its files hold, connecting and undoing leaves them as they were", () => {
    verifies("connect.undo");
    const files = client.files(TARGET, places()).map(({ paths: [path], contents }) => {
      const text = "entries" in contents ? FILES[contents.format] : fc.constant(null);
      return fc.option(text, { freq: 4 }).map((found) => ({ path, text: found }));
    });
    let connected = 0;
    fc.assert(
      fc.property(fc.tuple(...files), (found) => {
        rmSync(home, { recursive: true, force: true });
        mkdirSync(home);
        for (const { path, text } of found) if (text !== null) put(path, text);
        const before = tree();
        try {
          connect(client);
        } catch (cause) {
          expect(cause).toBeInstanceOf(CliExit);
          expect(tree()).toEqual(before);
          return;
        }
        connected += 1;
        expect(tree()).not.toEqual(before);
        connect(client, { ...TARGET, hub: "https://other.example.com" });
        disconnect(client);
        expect(tree()).toEqual(before);
      }),
      { numRuns: 80 },
    );
    expect(connected).toBeGreaterThan(5);
  }, 30_000);
});

test("what fails between two files is taken back", () => {
  verifies("connect.refuses");
  // A file where a folder is to be.
  put(join(home, ".continue/mcpServers"), "mine");
  const before = tree();
  expect(() => connect(clientOf("continue"))).toThrow();
  expect(tree()).toEqual(before);
});

test("an end in the middle leaves what can be undone", () => {
  verifies("connect.undo");
  const codex = clientOf("codex");
  put(join(home, ".codex/config.toml"), 'model = "m"\n');
  const before = tree();
  connect(codex);
  // As it is when the process ends after its backup and its first file.
  rmSync(join(home, ".codex/hooks.json"));
  disconnect(codex);
  expect(tree()).toEqual(before);
  connect(codex);
  put(join(home, ".codex/config.toml"), 'model = "m"\n');
  disconnect(codex);
  expect(tree()).toEqual(before);
});

test("an end in the middle of the second time leaves what can be undone byte for byte", () => {
  verifies("connect.undo");
  const codex = clientOf("codex");
  const path = join(home, ".codex/config.toml");
  put(path, 'model = "m" # mine\n[a]\n\n\n');
  const before = tree();
  connect(codex);
  const first = readFileSync(path, "utf8");
  const other = { ...TARGET, hub: "https://other.example.com" };
  connect(codex, other);
  // As it is when the process ends after its record and before its files.
  put(path, first);
  disconnect(codex);
  expect(tree()).toEqual(before);
  connect(codex);
  connect(codex, other);
  put(path, first);
  connect(codex, { ...TARGET, hub: "https://third.example.com" });
  put(path, first);
  connect(codex, other);
  disconnect(codex);
  expect(tree()).toEqual(before);
});

describe("a person's change", () => {
  const path = (): string => join(home, ".codex/config.toml");
  const codex = clientOf("codex");

  test("stays through a second time and then an undo", () => {
    verifies("connect.undo");
    put(path(), 'model = "m"\nmodel_provider = "mine"\n');
    connect(codex);
    put(path(), readFileSync(path(), "utf8").replace('model_provider = "hub"', 'model_provider = "theirs"'));
    connect(codex);
    disconnect(codex);
    expect(readFileSync(path(), "utf8")).toBe('model = "m"\nmodel_provider = "theirs"\n');
  });

  test("what was put in the first time alone is taken out too", () => {
    verifies("connect.undo");
    put(path(), "a = 1\n");
    connect(codex, { ...TARGET, model: "other" });
    connect(codex, { ...TARGET, hub: "https://other.example.com" });
    put(path(), `${readFileSync(path(), "utf8")}\n[mine]\nb = 2\n`);
    disconnect(codex, true);
    expect(readFileSync(path(), "utf8")).toBe("a = 1\n\n[mine]\nb = 2\n");
  });

  test("a file that cannot be read is named, and no file is changed", () => {
    verifies("connect.undo");
    put(path(), "a = 1\n");
    connect(codex);
    put(path(), "a = = 1");
    const now = tree();
    expect(() => disconnect(codex, true)).toThrow(`${path()} cannot be read`);
    expect(tree()).toEqual(now);
  });

  test("a file that is gone is as it was before, by force", () => {
    verifies("connect.undo");
    put(path(), "a = 1\n");
    const before = tree();
    connect(codex);
    rmSync(dirname(path()), { recursive: true });
    expect(() => disconnect(codex)).toThrow("changed since");
    disconnect(codex, true);
    expect(readFileSync(path(), "utf8")).toBe("a = 1\n");
    expect(Object.keys(tree())).toEqual(Object.keys(before));
  });
});

test("a backup that cannot be read stops everything", () => {
  verifies("connect.refuses");
  put(store().path, '{"version":1,"folders":[],"clients":{"codex":[{"path":1}]}}');
  const before = tree();
  expect(() => connect(clientOf("codex"))).toThrow("cannot be read");
  expect(tree()).toEqual(before);
});

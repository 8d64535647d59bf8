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
  backup.exclusively(() => write(client, planOf(client, target, places()), backup));
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
      { numRuns: 60 },
    );
    expect(connected).toBeGreaterThan(10);
  });
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

test("a backup that cannot be read stops everything", () => {
  verifies("connect.refuses");
  put(store().path, '{"version":1,"folders":[],"clients":{"codex":[{"path":1}]}}');
  const before = tree();
  expect(() => connect(clientOf("codex"))).toThrow("cannot be read");
  expect(tree()).toEqual(before);
});

import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hub } from "#test/support/hub";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** An empty folder for one test, and the executable run in it without a variable of ours. */
const inEmptyFolder = async (test: (folder: string, run: (...args: string[]) => Promise<Ended>) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-empty-"));
  const run = async (...args: string[]): Promise<Ended> => {
    const env = { PATH: process.env.PATH ?? "", HOME: folder };
    const child = Bun.spawn([...command(), ...args], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { stdout, stderr, code: await child.exited };
  };
  try {
    await test(folder, run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const CHANGING: readonly (readonly string[])[] = [
  ["user", "create", "eve@example.org"],
  ["user", "invite", "eve@example.org"],
  ["provider", "add", "openai", "--base-url", "https://api.example.org/v1", "--models", "gpt-*"],
  ["agent", "create", "helper", "--owner", "eve@example.org"],
  ["token", "create", "--user", "eve@example.org"],
  ["webhook", "add", "https://alerts.example.org/", "--events", "*"],
  ["killswitch", "on", "--reason", "drill"],
  ["keys", "rotate"],
  ["backup", "create"],
  ["audit", "tail"],
];

test.each(CHANGING)("%s %s makes no data directory, and says which flag is missing", async (...args) => {
  verifies("cli.no-accidental-data");
  await inEmptyFolder(async (folder, run) => {
    const { code, stderr } = await run(...args);
    expect({ code, made: await readdir(folder) }).toEqual({ code: 9, made: [] });
    expect(stderr).toContain(join(folder, "guardhouse-data"));
    expect(stderr).toContain("--data-dir DIR or --config FILE");
  });
});

test("admin create makes a data directory, and says which", async () => {
  verifies("cli.no-accidental-data");
  await inEmptyFolder(async (folder, run) => {
    const first = await run("admin", "create", "ada@example.org", "--random-password");
    expect(first.code).toBe(0);
    expect(first.stderr).toContain(`Created a NEW DATA DIRECTORY at ${join(folder, "guardhouse-data")}.`);
    const second = await run("admin", "create", "bob@example.org", "--random-password");
    expect(second.stderr).not.toContain("A NEW DATA DIRECTORY");
  });
});

const CONFIG = `public_url = "https://hub.example.org"
[webhooks]
allow_private = ["127.0.0.0/8"]
[metrics]
token = "a-collectors-secret-token"
`;

/** A hub with settings of its own in a file that commands beside it are not told of. */
const servedHub = async (file: string): Promise<Hub> => {
  await Bun.write(file, CONFIG);
  return Hub.create({ serve: ["--config", file], documented: false });
};

test("the hint of serve makes an administrator of that very hub, from any folder", async () => {
  verifies("cli.names-hub");
  await inEmptyFolder(async (folder, run) => {
    const file = join(folder, "hub.toml");
    await Bun.write(file, CONFIG);
    await using hub = await Hub.create();
    const start = hub.begin("serve", "--listen", "127.0.0.1:0", "--config", file);
    const hint = await lineOf(start.stderr, /or run: guardhouse (.*)/);
    expect(hint).toBe(`admin create EMAIL --config ${file} --data-dir ${hub.dataDir}`);
    const elsewhere = join(folder, "elsewhere");
    await mkdir(elsewhere);
    const made = await run(...hint.replace("EMAIL", "ada@example.org").split(" "), "--random-password");
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).not.toContain("A NEW DATA DIRECTORY");
    expect(existsSync(join(folder, "guardhouse-data"))).toBe(false);
    const users = await run("user", "list", "--data-dir", hub.dataDir);
    expect(users.stdout).toContain("ada@example.org");
    start.kill("SIGTERM");
    await start.exited;
  });
});

test("commands with --data-dir only use the running hub's settings; flags take precedence", async () => {
  verifies("cli.hub-settings");
  await inEmptyFolder(async (folder, run) => {
    const file = join(folder, "hub.toml");
    await using hub = await servedHub(file);
    expect((await hub.cli("admin", "create", "ada@example.org", "--random-password")).code).toBe(0);
    await hub.start();
    const at = ["--data-dir", hub.dataDir];
    const receiver = ["webhook", "add", "http://127.0.0.1:9/hook", "--events", "*"];

    const invited = await run("user", "invite", "ben@example.org", ...at);
    expect(invited.stdout).toContain("https://hub.example.org/invite#");
    expect(await run(...receiver, ...at)).toMatchObject({ code: 0 });

    // What is given wins: a file in place of all of it, a variable in place of one setting.
    const empty = join(folder, "empty.toml");
    await Bun.write(empty, "");
    const given = await run("user", "invite", "ben@example.org", ...at, "--config", empty);
    expect(given.stdout).toContain("http://127.0.0.1:8787/invite#");
    expect((await run(...receiver, ...at, "--config", empty)).code).not.toBe(0);

    const note = join(hub.dataDir, "serving.json");
    expect(statSync(note).mode & 0o777).toBe(0o600);
    expect(await readFile(note, "utf8")).not.toContain("collectors-secret");

    // The last hub's settings hold while none runs, too; and nothing of the note reaches the next one.
    await hub.kill("SIGTERM");
    const later = await run("user", "invite", "cat@example.org", ...at);
    expect(later.stdout).toContain("https://hub.example.org/invite#");
  });
});

const lineOf = async (stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> => {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`nothing matches ${pattern}: ${text}`);
};

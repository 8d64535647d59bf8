import { expect, test } from "bun:test";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { anyPort } from "#test/support/port";
import { filesOf } from "#test/support/repository";
import { verifies } from "#test/support/verifies";

const ROOT = resolve(import.meta.dir, "..");
/** What `bun run dev` reads. */
const READ = /^(?:src\/|docs\/|\.ci\/|package\.json$|tsconfig\.json$|bun\.lock$)/;
const PATIENCE_MS = 120_000;

/** A copy of the sources that may be changed. */
const scratchCopy = async (): Promise<string> => {
  const copy = await mkdtemp(join(tmpdir(), "guardhouse-dev-"));
  const paths = (await filesOf(ROOT)).filter((path) => READ.test(path));
  await Promise.all(paths.map((path) => cp(join(ROOT, path), join(copy, path))));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
};

/** The file below `src` that has this text. */
const fileWith = async (copy: string, text: string): Promise<string> => {
  for await (const path of new Bun.Glob("src/**/*.{ts,tsx}").scan(copy)) {
    if ((await Bun.file(join(copy, path)).text()).includes(text)) return join(copy, path);
  }
  throw new Error(`no source has ${text}`);
};

const until = async <T>(what: string, look: () => Promise<T | null | false> | T | null | false): Promise<T> => {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const seen = await look();
    if (seen !== null && seen !== false) return seen;
    await Bun.sleep(20);
  }
  throw new Error(`not seen in time: ${what}`);
};

/** Counts what the page is told to do. */
const reloadsOf = async (url: string) => {
  const response = await fetch(`${url}/.dev/events`);
  let count = 0;
  const read = async (): Promise<"ended"> => {
    for await (const chunk of response.body ?? [])
      count += new TextDecoder().decode(chunk).split("data: reload").length - 1;
    return "ended";
  };
  // The stream is cut off when the server stops, which a page takes for a reason to connect again.
  return { count: () => count, done: read().catch((error: unknown) => error) };
};

test("dev: a change of the sources is served, a syntax error is shown and outlived, Ctrl-C ends everything", async () => {
  verifies("dev.reload");
  const copy = await scratchCopy();
  using held = anyPort();
  const child = Bun.spawn([process.execPath, ".ci/dev.ts", "--port", `${held.port}`], {
    cwd: copy,
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  });
  const url = `http://127.0.0.1:${held.port}`;
  const page = async () => {
    const response = await fetch(url, { headers: { accept: "text/html" } });
    return { status: response.status, text: await response.text() };
  };
  try {
    const [, email, password] = await until("the sign-in", () => /sign in +(\S+) +password (\S+)/.exec(output));
    const [, token = ""] = /OPENAI_API_KEY=(\S+)/.exec(output) ?? [];
    const json = { "content-type": "application/json" };
    const signIn = await fetch(`${url}/api/auth/sign-in`, {
      method: "POST",
      headers: { ...json, origin: url },
      body: JSON.stringify({ email, password }),
    });
    expect({ status: signIn.status, cookie: signIn.headers.has("set-cookie") }).toEqual({ status: 204, cookie: true });
    const chat = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: "guardhouse/echo", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(await chat.json()).toMatchObject({ choices: [{ message: { content: "Echo: hello" } }] });
    expect((await page()).text).toContain("<title>Guardhouse</title>");
    const reloads = await reloadsOf(url);

    const file = await fileWith(copy, "<title>Guardhouse</title>");
    const text = await Bun.file(file).text();
    await Bun.write(file, `${text}\nconst = 1;\n`);
    // The hub that is stopped for it answers with that status, too.
    const broken = await until("the fault", async () => {
      const seen = await page();
      return seen.text.includes(file.slice(file.lastIndexOf("/src/"))) && seen;
    });
    expect(broken.status).toBe(503);
    expect(broken.text).toContain("/.dev/reload.js");

    await Bun.write(file, text.replace("<title>Guardhouse</title>", "<title>Changed</title>"));
    const mended = await until("the change", async () => {
      const seen = await page();
      return seen.status === 200 && seen;
    });
    expect(mended.text).toContain("<title>Changed</title>");
    // One for both changes where the second came while the first was taken up.
    await until("reloads", () => reloads.count() >= 1);
    const told = reloads.count();

    const main = join(copy, "src/dashboard/main.tsx");
    await Bun.write(main, `${await Bun.file(main).text()}\nconsole.log("seen by the test");\n`);
    await until("the dashboard's change", async () => {
      const script = /src="(\/assets\/main-[^"]+)"/.exec((await page()).text)?.[1];
      return script !== undefined && (await (await fetch(url + script)).text()).includes("seen by the test");
    });
    await until("another reload", () => reloads.count() > told);

    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    await Promise.all([...reading, reloads.done]);
    expect(output.match(/"event":"stopped"/g)?.length).toBe(2);
    expect(await fetch(url).catch(() => "refused")).toBe("refused");
  } finally {
    // With it goes the hub: it is told to stop, and waited for.
    child.kill("SIGTERM");
    await child.exited;
    await rm(copy, { recursive: true, force: true });
  }
}, 300_000);

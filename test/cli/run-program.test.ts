import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatWorld } from "#test/flow/chat-world";
import { command, executable, runProcess } from "#test/support/program";
import { verifies } from "#test/support/verifies";

const ROOT = join(import.meta.dir, "../..");

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const options = (env: Record<string, string> = {}) => ({
  cwd: ROOT,
  env: { PATH: process.env["PATH"] ?? "", GUARDHOUSE_URL: world.hub.url, GUARDHOUSE_TOKEN: world.token, ...env },
});

const run = (words: readonly string[], env: Record<string, string> = {}) =>
  executable.run(["run", "--", ...words], options(env));

test("a program finds the hub by the variables of every SDK, whatever it had before", async () => {
  verifies("connect.run");
  const { stdout } = await run(["env"], {
    ...{ OPENAI_API_KEY: "sk-mine", ANTHROPIC_API_KEY: "sk-ant-mine", LANG: "C" },
    ...{ CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_USE_VERTEX: "1", CLAUDE_CODE_USE_FOUNDRY: "1" },
  });
  const variables = Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s)),
  );
  expect(variables).toMatchObject({
    OPENAI_BASE_URL: `${world.hub.url}/v1`,
    OPENAI_API_KEY: world.token,
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    ANTHROPIC_BASE_URL: world.hub.url,
    ANTHROPIC_AUTH_TOKEN: world.token,
    GOOGLE_GEMINI_BASE_URL: world.hub.url,
    LANG: "C",
  });
  expect(variables).not.toHaveProperty("ANTHROPIC_API_KEY");
  expect(Object.keys(variables).filter((name) => name.startsWith("CLAUDE_CODE_USE_"))).toEqual([]);
});

test.each([
  [
    "openai",
    'import OpenAI from "openai"; const a = await new OpenAI().chat.completions.create({ model: "guardhouse/echo", messages: [{ role: "user", content: "Hello" }] }); console.log(a.choices[0].message.content);',
  ],
  [
    "anthropic",
    'import Anthropic from "@anthropic-ai/sdk"; const m = await new Anthropic().messages.create({ model: "guardhouse/echo", max_tokens: 16, messages: [{ role: "user", content: "Hello" }] }); console.log(m.content[0].text);',
  ],
])("%s's SDK asks the hub without a word about it", async (_, program) => {
  verifies("connect.run");
  const { code, stdout, stderr } = await run([process.execPath, "-e", program]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Echo: Hello\n", stderr: "" });
});

test("what goes in and out, the exit code and signals are the program's own", async () => {
  verifies("connect.run");
  const echoed = await executable.run(["run", "--", "sh", "-c", 'cat; echo "$0 $1" >&2; exit 7', "a", "--help"], {
    ...options(),
    stdin: "in",
  });
  expect(echoed).toEqual({ code: 7, stdout: "in", stderr: "a --help\n" });
  const child = Bun.spawn(
    [...command(), "run", "--", "sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"],
    {
      ...options(),
      stdout: "pipe",
    },
  );
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(5);
  const killed = Bun.spawn([...command(), "run", "--", "sh", "-c", "kill -KILL $$"], options());
  await killed.exited;
  expect([killed.exitCode, killed.signalCode]).toEqual([null, "SIGKILL"]);
  // A pipe that is closed ends it as it would anywhere.
  const cut = await runProcess(["sh", "-c", `${command().join(" ")} run -- yes | head -n 1`], options());
  expect(cut).toEqual({ code: 0, stdout: "y\n", stderr: "" });
});

test("a program that is not there, none, and no hub are said", async () => {
  verifies("connect.run");
  expect(await run(["no-such-program"])).toMatchObject({
    code: 127,
    stderr: expect.stringContaining("No program no-such-program"),
  });
  expect((await executable.run(["run"], options())).code).toBe(2);
  expect((await run(["true"], { GUARDHOUSE_URL: "" })).code).toBe(2);
});

describe("a script", () => {
  let folder: string;
  const script = (name: string, text: string, mode = 0o755): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guardhouse-run-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("that names no program is run by a shell", async () => {
    verifies("connect.run");
    const path = script("plain", 'echo "$0 $1 $OPENAI_BASE_URL"; exit 3\n');
    expect(await run([path, "a b"])).toEqual({ code: 3, stdout: `${path} a b ${world.hub.url}/v1\n`, stderr: "" });
  });

  test("that cannot be run ends as it does in a shell", async () => {
    verifies("connect.run");
    expect(await run([script("locked", "exit 0\n", 0o644)])).toMatchObject({ code: 126 });
    const lost = await run([script("lost", "#!/no/such/program\n")]);
    expect(lost).toMatchObject({ code: 127, stderr: expect.stringContaining("names a program that is not there") });
  });
});

test.skipIf(process.platform !== "linux")(
  "the program ignores no signal that it would not ignore elsewhere",
  async () => {
    verifies("connect.run");
    expect((await run(["grep", "SigIgn", "/proc/self/status"])).stdout).toMatch(/^SigIgn:\t0+\n$/);
  },
);

test("it starts about as soon as the quickest command does", async () => {
  verifies("connect.run");
  const timed = async (words: readonly string[]): Promise<number> => {
    const began = performance.now();
    await runProcess([...command(), ...words], options());
    return performance.now() - began;
  };
  let [own, measure] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < 8; turn += 1) {
    measure = Math.min(measure, await timed(["version"]));
    own = Math.min(own, await timed(["run", "--", "true"]));
  }
  expect(own / measure).toBeLessThan(2);
});

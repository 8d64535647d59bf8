import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

test("the tour shows an answer, a block, a redacted stream and a probe, each with its record, and cleans up", async () => {
  await using bench = await Workbench.create({ ownProcess: true });
  const { code, stdout, stderr } = await bench.run(["demo", "--once", "--json", "--listen", "127.0.0.1:0"], {
    data: false,
  });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const { tour, data_dir } = JSON.parse(stdout);
  expect(tour).toMatchObject([
    { status: 200, action: "allow", audit: expect.stringContaining("chat.completion · answered · allow") },
    {
      status: 400,
      action: "block",
      answer: expect.stringContaining("content_filter"),
      audit: expect.stringContaining("blocked_input"),
    },
    { status: 200, action: "redact", answer: expect.stringMatching(/\[pii\.credit_card:\w{6}\]/) },
    { status: 200, answer: expect.stringContaining("safe: false") },
    { status: 200, answer: "demo__customer, demo__echo, guardhouse__whoami" },
    {
      status: 200,
      action: "redact",
      answer: expect.stringMatching(/card \[pii\.credit_card:\w{6}\]/),
      audit: expect.stringContaining("tool.call · answered · redact"),
    },
  ]);
  expect(existsSync(data_dir)).toBe(false);
});

test("with --loop a wrong block is disputed, reviewed, approved, mended and taken back, and the log verifies", async () => {
  verifies("loop.demo");
  await using bench = await Workbench.create({ ownProcess: true });
  const { code, stdout } = await bench.run(["demo", "--loop", "--once", "--json", "--listen", "127.0.0.1:0"], {
    data: false,
  });
  expect(code).toBe(0);
  const { steps, audit } = JSON.parse(stdout);
  expect(steps.map(({ status }: { status: number }) => status)).toEqual([
    400, 201, 200, 200, 403, 409, 202, 200, 200, 200, 400, 200, 400,
  ]);
  expect(audit.ok).toBe(true);
}, 120_000);

test("without --json it reads well, with calls to copy and no colours outside a terminal", async () => {
  await using bench = await Workbench.create({ ownProcess: true });
  const { code, stdout } = await bench.run(["demo", "--once", "--listen", "127.0.0.1:0"]);
  expect(code).toBe(0);
  expect(stdout.match(/^curl -sN? http:\/\/127\.0\.0\.1:\d+\/v1\//gm)).toHaveLength(4);
  expect(stdout.match(/^curl -s http:\/\/127\.0\.0\.1:\d+\/mcp\/gateway/gm)).toHaveLength(2);
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toContain("export OPENAI_BASE_URL=http://127.0.0.1:");
  // A named data directory is kept, and the people in it serve the next time too.
  expect(existsSync(`${bench.dataDir}/guardhouse.db`)).toBe(true);
  expect((await bench.run(["demo", "--once", "--listen", "127.0.0.1:0"])).code).toBe(0);
});

test("the calls it prints work as they are", async () => {
  await using bench = await Workbench.create({ ownProcess: true });
  const { stdout } = await bench.run(["demo", "--once", "--json", "--listen", "127.0.0.1:0"]);
  for (const { curl } of JSON.parse(stdout).tour) {
    const words = Bun.spawnSync([
      "sh",
      "-c",
      `set -- ${curl.replace(/^curl/, "")}; printf '%s\\n' "$@"`,
    ]).stdout.toString();
    expect(JSON.parse(words.trim().split("\n").at(-1) ?? "")).toHaveProperty(
      /scan/.test(curl) ? "text" : /mcp/.test(curl) ? "method" : "messages",
    );
  }
});

test("a reader that goes, as `| head` does, is no failure, and the temporary directory goes too", async () => {
  await using bench = await Workbench.create({ ownProcess: true });
  const places = () => readdirSync(bench.home).filter((name) => name.startsWith("guardhouse-demo-"));
  await using child = Bun.spawn([...command(), "demo", "--listen", "127.0.0.1:0"], {
    cwd: bench.home,
    env: { PATH: process.env["PATH"] ?? "", HOME: bench.home, TMPDIR: bench.home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = child.stdout.getReader();
  let said = "";
  while (!said.includes("is listening on")) {
    const { value, done } = await reader.read();
    expect([done, said]).toEqual([false, said]);
    said += new TextDecoder().decode(value);
  }
  expect(places()).toHaveLength(1);
  await reader.cancel();
  // Without --once nothing else would end it.
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stderr).text()).not.toContain("EPIPE");
  expect(places()).toEqual([]);
});

test("demo: a requested address in use exits with 6", async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
  await using bench = await Workbench.create({ ownProcess: true });
  const { code } = await bench.run(["demo", "--once", "--listen", `127.0.0.1:${Object(blocker.address()).port}`]);
  blocker.close();
  expect(code).toBe(6);
});

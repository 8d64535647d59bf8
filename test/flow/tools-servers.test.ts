import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { anyPort, type HeldPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { EVE, ToolWorld, until } from "./tools-world";

const PACKAGES = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol");
const program = (name: string): string => join(PACKAGES, `server-${name}`, "dist/index.js");

const ports: HeldPort[] = [];
type Child = Bun.Subprocess<"ignore", "ignore", "pipe">;

/** The reference server over HTTP. Resolves once it listens. */
const everything = async (transport: "sse" | "streamableHttp"): Promise<{ child: Child; port: number }> => {
  const held = anyPort();
  ports.push(held);
  const { port } = held;
  const env = { PATH: process.env.PATH ?? "", PORT: `${port}` };
  const options = { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" } as const;
  const child = Bun.spawn([process.execPath, program("everything"), transport], options);
  const deadline = performance.now() + 45_000;
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return { child, port };
    if (performance.now() > deadline || child.exitCode !== null)
      throw new Error("the reference server does not listen");
    await Bun.sleep(20);
  }
};

let world: ToolWorld;
let files: string;
const children: Child[] = [];
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), "guardhouse-files-"));
  await Bun.write(join(files, "hello.txt"), "Hello from a file");
  const [streamable, sse] = await Promise.all([everything("streamableHttp"), everything("sse")]);
  children.push(streamable.child, sse.child);
  const stdio = (name: string, ...args: string[]) => [process.execPath, program(name), ...args];
  world = await ToolWorld.open({
    env: { GUARDHOUSE_TOOL_GATEWAY__LIST_FRESH_MS: "60000" },
    before: async (hub) => {
      const owner = EVE;
      await hub.addToolServer("http", { owner, url: `http://127.0.0.1:${streamable.port}/mcp` });
      await hub.addToolServer("sse", { owner, url: `http://127.0.0.1:${sse.port}/sse`, transport: "sse" });
      await hub.addToolServer("stdio", { owner, stdio: stdio("everything", "stdio") });
      await hub.addToolServer("files", { owner, stdio: stdio("filesystem", files) });
      // Its program is given nothing of the hub's environment: what it needs stands in its command.
      const memory = ["env", `MEMORY_FILE_PATH=${join(files, "memory.jsonl")}`, ...stdio("memory")];
      await hub.addToolServer("memory", { owner, stdio: memory });
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  for (const child of children) child.kill("SIGKILL");
  for (const port of ports) port[Symbol.dispose]();
  await rm(files, { recursive: true, force: true });
});

describe.each(["http", "sse", "stdio"])("the reference server over %s", (slug) => {
  test("lists its tools", async () => {
    verifies("tools.reference-servers");
    const own = (names: readonly string[]) => names.filter((name) => name.startsWith(`${slug}__`));
    const names = own(await world.listed((all) => own(all).length > 8));
    expect(names).toContain(`${slug}__echo`);
  });

  test("answers calls: text, structured content, images, failures", async () => {
    verifies("tools.reference-servers");
    expect(await world.text(`${slug}__echo`, { message: "hello there" })).toBe("Echo: hello there");
    expect(await world.text(`${slug}__get-sum`, { a: 20, b: 22 })).toContain("42");
    const structured = await world.call(`${slug}__get-structured-content`, { location: "New York" });
    expect(structured["structuredContent"]).toMatchObject({ temperature: expect.any(Number) });
    const image = await world.call(`${slug}__get-tiny-image`);
    expect(image.content.map(({ type }) => type)).toContain("image");
    const wrong = await world.legacy("tools/call", { name: `${slug}__get-sum`, arguments: { a: "one" } });
    expect(wrong.body["error"] ?? wrong.result.isError).toBeTruthy();
  });

  test("tells its progress", async () => {
    verifies("tools.reference-servers");
    const answer = await world.legacy("tools/call", {
      name: `${slug}__trigger-long-running-operation`,
      arguments: { duration: 0.4, steps: 4 },
      _meta: { progressToken: "p" },
    });
    const told = answer.news.map(({ params }) => params);
    expect(told).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4, progressToken: "p" })));
    expect(answer.result.isError ?? false).toBe(false);
  });
});

test("the filesystem server reads what it may and nothing else", async () => {
  verifies("tools.reference-servers");
  const read = (path: string) => world.call("files__read_text_file", { path });
  expect((await read(join(files, "hello.txt"))).content[0]?.text).toBe("Hello from a file");
  expect(await read("/etc/hostname")).toMatchObject({ isError: true });
});

test("the memory server remembers", async () => {
  verifies("tools.reference-servers");
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  expect((await world.call("memory__create_entities", { entities })).isError ?? false).toBe(false);
  const graph = await world.call("memory__read_graph");
  expect(graph["structuredContent"]).toMatchObject({ entities });
  expect(await Bun.file(join(files, "memory.jsonl")).text()).toContain("Ada");
});

test("the processes of stdio servers end with the hub", async () => {
  verifies("tools.stdio-ends");
  const running = () => {
    const { stdout } = Bun.spawnSync(["ps", "-eo", "pid,args"]);
    return stdout
      .toString()
      .split("\n")
      .filter((line) => line.includes(files));
  };
  await world.text("files__list_allowed_directories");
  expect(running().length).toBeGreaterThan(0);
  await world.hub.kill("SIGTERM");
  expect(await until(running, ({ length }) => length === 0)).toEqual([]);
});

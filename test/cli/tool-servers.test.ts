import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { verifies } from "#test/support/verifies";
import { type Fields, type Result, Workbench } from "./workbench";

const EVE = "eve@example.com";
const SAM = "sam@example.com";
const KEY = "tok-Zx81hTq0LmVb72KsPdYw";
const READ = { name: "read", description: "Reads a file", inputSchema: { type: "object", properties: {} } };
const WRITE = { name: "write", description: "Writes a file", inputSchema: { type: "object", properties: {} } };
const FAILING = resolve(import.meta.dir, "children/failing-tools.ts");
const FROM_FILE = resolve(import.meta.dir, "children/tools-from-file.ts");

let bench: Workbench;
let tools: string;
let web: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  bench = await Workbench.create();
  for (const email of [EVE, SAM]) await bench.json("user", "create", email);
  await bench.json("agent", "create", "helper", "--owner", EVE);
  await bench.json("agent", "create", "other", "--owner", SAM);
  tools = await bench.file(JSON.stringify([READ, WRITE]));
  web = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
});
afterAll(async () => {
  await web.stop(true);
  await bench[Symbol.asyncDispose]();
});

/** An MCP server over HTTP that asks for a key. */
const answer = async (request: Request): Promise<Response> => {
  if (request.url.endsWith("/local-only")) {
    return new Response("Access is only allowed at localhost:9713", { status: 403 });
  }
  if (request.headers.get("x-key") !== KEY) return new Response(null, { status: 401 });
  const server = new Server({ name: "web", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [READ] }));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request);
};

/** With the command behind `--` last, nothing can be appended. */
const runStdio = (...args: readonly string[]): Promise<Result> =>
  bench.run(args, { data: false, env: { GUARDHOUSE_DATA_DIR: bench.dataDir } });

const addFiles = (...flags: readonly string[]) =>
  runStdio(
    "tool-server",
    "add",
    "files",
    "--owner",
    EVE,
    ...flags,
    "--stdio",
    "--",
    process.execPath,
    FROM_FILE,
    tools,
  );

const setTools = (...list: readonly object[]) => Bun.write(tools, JSON.stringify(list));

const stateOf = (server: Fields) => {
  const list = Array.isArray(server["tools"]) ? server["tools"] : [];
  return list.map(({ tool, status }: Fields) => `${tool} ${status}`);
};

describe("a program", () => {
  test("is added with the tools it lists", async () => {
    verifies("tools.manage-cli");
    const { code, stdout } = await addFiles("--json", "--call-timeout", "30s");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ slug: "files", owner: EVE, transport: "stdio", url: null, command: [process.execPath, FROM_FILE, tools] },
      ...{ active: true, status: "active", credentials: { kind: "none" }, given_by: "operator", call_ms: 30_000 },
      ...{ ok: true, problem: null, list_ms: null },
      tools: [
        { name: "files__read", tool: "read", status: "approved", flags: [], present: true },
        { name: "files__write", tool: "write", status: "approved", flags: [], present: true },
      ],
    });
    expect((await addFiles()).code).toBe(1);
  });

  test("is listed, with the owner's or among all", async () => {
    const [files] = await bench.list("tool-server", "list", "--owner", EVE);
    expect(files).toMatchObject({ slug: "files", transport: "stdio", status: "active" });
    expect(await bench.list("tool-server", "list", "--owner", SAM)).toEqual([]);
    expect((await bench.run(["tool-server", "list"])).stdout).toMatch(/^files +eve@example.com +stdio .* 2 of 2$/m);
  });

  test("that says something else of a tool waits for approval, which shows what changed", async () => {
    verifies("tools.manage-cli");
    await setTools({ ...READ, description: "Reads a file, or sends it away" }, WRITE);
    const tested = await bench.run(["tool-server", "test", "files", "--json"]);
    expect(tested.code).toBe(0);
    expect(tested.stderr).toContain("tool-server approve files --owner eve@example.com");
    expect(JSON.parse(tested.stdout)).toMatchObject({ ok: true, status: "changed" });
    const none = await bench.run(["tool-server", "approve", "files", "--tools", "write"]);
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("No pending tools")]);
    const unknown = await bench.run(["tool-server", "approve", "files", "--tools", "delete"]);
    expect(unknown.code).toBe(9);
    expect(unknown.stderr).toContain("it has read, write");
    const approved = await bench.run(["tool-server", "approve", "files", "--owner", EVE]);
    expect(approved.code).toBe(0);
    expect(approved.stdout).toContain('-   "description": "Reads a file",');
    expect(approved.stdout).toContain('+   "description": "Reads a file, or sends it away",');
    expect(approved.stdout).not.toContain("inputSchema");
    expect(stateOf(await bench.json("tool-server", "test", "files"))).toEqual(["read approved", "write approved"]);
  });

  test("approve takes the tools named only, and with --json gives before and after", async () => {
    await setTools({ ...READ, description: "1" }, { ...WRITE, description: "2" });
    const one = await bench.json("tool-server", "approve", "files", "--tools", "files__write");
    expect(one["approved"]).toMatchObject([{ tool: "write", before: WRITE, after: { description: "2" } }]);
    expect(stateOf(one)).toEqual(["read changed", "write approved"]);
    await bench.json("tool-server", "approve", "files");
  });

  test("can be hidden and shown again", async () => {
    expect(await bench.json("tool-server", "disable", "files")).toMatchObject({ active: false, status: "inactive" });
    expect(await bench.json("tool-server", "enable", "files")).toMatchObject({ active: true, status: "active" });
  });

  test("that is not there is kept, and test ends with 1", async () => {
    const args = ["tool-server", "add", "ghost", "--owner", EVE, "--json", "--stdio", "--", "/no/such/program", "-x"];
    const added = await runStdio(...args);
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { ok: false, status: "unreachable", tools: [] }]);
    expect(added.stderr).toContain("note: ghost is added");
    expect((await bench.run(["tool-server", "test", "ghost"])).code).toBe(1);
    expect((await bench.run(["tool-server", "approve", "ghost"])).code).toBe(1);
    const assigned = ["tool-server", "assign", "ghost", "--agent", "helper", "--tools", "ghost__later"];
    expect(await bench.json(...assigned)).toMatchObject({ tools: ["later"] });
    expect(await bench.json("tool-server", "remove", "ghost")).toMatchObject({ slug: "ghost", removed: true });
  });
});

describe("a server that does not start says why", () => {
  const add = (slug: string, ...command: readonly string[]) =>
    runStdio("tool-server", "add", slug, "--owner", EVE, "--json", ...command);

  test("with the last stderr lines of its program, without its variables", async () => {
    verifies("tools.start-problem", "tools.manage-sealed");
    const variables = ["--env-file", await bench.file(`TOOL_KEY=${KEY}\n`)];
    const added = await add("broken", ...variables, "--stdio", "--", process.execPath, FAILING, "exits");
    const report = JSON.parse(added.stdout);
    expect(report).toMatchObject({ ok: false, status: "unreachable" });
    expect(report.problem).toContain("The process of broken ended with code 1.");
    expect(report.problem).toContain("AttributeError: 'Server' object has no attribute 'list_resources'");
    expect(report.problem).not.toContain("\u001b");
    expect(report.problem).not.toContain(KEY);
    expect(added.stderr).toContain("AttributeError");
    const tested = await bench.run(["tool-server", "test", "broken", "--json"]);
    expect(JSON.parse(tested.stdout).problem).toContain("AttributeError");
    await bench.run(["tool-server", "remove", "broken"]);
  });

  test("with what it answered: a refusal that is not about credentials is not said to be", async () => {
    verifies("tools.start-problem");
    const { stdout } = await add("local", "--url", `${web.url}local-only`);
    const { status, problem } = JSON.parse(stdout);
    expect(problem).toContain("Access is only allowed at localhost:9713");
    expect(problem).not.toContain("credentials (status");
    expect(status).not.toBe("unauthorized");
    await bench.run(["tool-server", "remove", "local"]);
  });

  test("and has a limit of its own for the handshake, whatever providers have", async () => {
    verifies("tools.handshake-limit");
    const start = (env: Readonly<Record<string, string>>) => {
      const command = ["--stdio", "--", process.execPath, FAILING, "slow", "1200", tools];
      const args = ["tool-server", "add", "slow", "--owner", EVE, "--json", ...command];
      return bench.run(args, { data: false, env: { GUARDHOUSE_DATA_DIR: bench.dataDir, ...env } });
    };
    const patient = await start({ GUARDHOUSE_UPSTREAM__CONNECT_MS: "300" });
    expect(JSON.parse(patient.stdout)).toMatchObject({ ok: true, problem: null });
    await bench.run(["tool-server", "remove", "slow"]);
    const hasty = await start({ GUARDHOUSE_TOOL_GATEWAY__HANDSHAKE_MS: "300" });
    expect(JSON.parse(hasty.stdout).problem).toContain("tool_gateway.handshake_ms");
    await bench.run(["tool-server", "remove", "slow"]);
  });
});

describe("assignment", () => {
  const assign = (...flags: readonly string[]) => ["tool-server", "assign", "files", "--owner", EVE, ...flags];
  test("says what an agent of the same owner may use", async () => {
    verifies("tools.manage-cli");
    expect(await bench.json(...assign("--agent", "helper", "--tools", "read,files__write"))).toMatchObject({
      ...{ slug: "files", owner: EVE, agent: "helper", tools: ["read", "write"] },
    });
    expect(await bench.json(...assign("--agent", "helper"))).toMatchObject({ tools: null });
    const unknown = await bench.run(assign("--agent", "helper", "--tools", "read,delete"));
    expect([unknown.code, unknown.stderr]).toEqual([9, expect.stringContaining("it has read, write")]);
    expect((await bench.run(assign("--agent", "other"))).code).toBe(9);
    expect((await bench.run(assign("--agent", "helper", "--tools", ","))).code).toBe(2);
    const unassign = ["tool-server", "unassign", "files", "--agent", "helper"];
    expect(await bench.json(...unassign)).toMatchObject({ slug: "files", agent: "helper", tools: [] });
    expect((await bench.run(unassign)).code).toBe(9);
  });
});

describe("a server at a URL", () => {
  const add = (slug: string, ...flags: readonly string[]) =>
    bench.run(["tool-server", "add", slug, "--owner", SAM, "--url", `${web.url}mcp`, "--json", ...flags]);

  test("is sent the headers of a file, which nobody is shown", async () => {
    verifies("tools.manage-cli", "tools.manage-sealed");
    const bare = await add("bare");
    expect([bare.code, JSON.parse(bare.stdout)]).toMatchObject([0, { ok: false, status: "unauthorized" }]);
    const good = await add("web", "--header-file", await bench.file(`\nX-Key: ${KEY}\r\nX-Team:  a b\n`));
    expect([good.code, JSON.parse(good.stdout)]).toMatchObject([
      0,
      {
        status: "active",
        transport: "streamable-http",
        credentials: { kind: "headers", headers: ["X-Key", "X-Team"] },
      },
    ]);
    const wrong = await add("wrong", "--header-file", await bench.file(`X-Key: ${KEY}\n${KEY}\n`));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("line 2")]);
    const twice = await add("wrong", "--header-file", await bench.file(`X-Key: ${KEY}\nx-key: 1\n`));
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("line 2")]);
  });

  test("takes the credentials of a client, or those a person gives by signing in", async () => {
    verifies("tools.manage-cli");
    const at = ["--owner", SAM, "--url", "http://127.0.0.1:9/mcp"];
    const secret = await bench.file(`${KEY}\n`);
    const client = ["--oauth-client-id", "hub", "--oauth-client-secret-file", secret, "--oauth-scope", "a b"];
    expect(await bench.json("tool-server", "add", "machine", ...at, ...client)).toMatchObject({
      credentials: { kind: "client_credentials" },
    });
    expect(await bench.json("tool-server", "add", "person", ...at, "--oauth")).toMatchObject({
      credentials: { kind: "authorization_code" },
    });
    expect((await bench.run(["tool-server", "authorize", "machine"])).code).toBe(2);
  });

  test.each([
    [["x"], "--url URL or --stdio"],
    [["x", "--url", "http://h/", "--stdio", "--", "cmd"], "--url or --stdio, not both"],
    [["x", "--stdio"], "--stdio needs a command"],
    [["x", "--url", "http://h/", "--", "cmd"], "needs --stdio"],
    [["x", "--stdio", "cmd"], "unexpected argument: cmd"],
    [["x", "--url", "http://h/", "--transport", "stdio"], "streamable-http or sse"],
    [["x", "--url", "http://me:pw@h/"], "must not hold a user or a password"],
    [["X_y", "--url", "http://h/"], "must be lower-case letters"],
    [["x", "--url", "http://h/", "--oauth-client-id", "a"], "--oauth-client-secret-file"],
    [["x", "--url", "http://h/", "--oauth", "--header-file", "f"], "not both"],
    [["x", "--url", "http://h/", "--call-timeout", "soon"], "expected a duration"],
    [["x", "--url", "http://h/", "--call-timeout", "0"], "must be from 1"],
    [["x", "--oauth", "--stdio", "--", "cmd"], "are for servers at a URL"],
    [["x", "--url", "http://h/", "--env-file", "/dev/null"], "are for programs"],
  ])("add %j is refused with 2", async (args, message) => {
    const { code, stderr } = await runStdio("tool-server", "add", "--owner", SAM, ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test("is found by its slug alone while that is one person's", async () => {
    expect((await bench.run(["tool-server", "list", "--owner", "nobody@example.com"])).code).toBe(9);
    expect((await bench.run(["tool-server", "test", "nothing"])).code).toBe(9);
    expect((await bench.run(["tool-server", "test", "web", "--owner", EVE])).code).toBe(9);
    const second = ["tool-server", "add", "web", "--owner", EVE, "--url", "http://127.0.0.1:9/"];
    expect((await bench.run(second)).code).toBe(0);
    const several = await bench.run(["tool-server", "test", "web"]);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining("name the owner")]);
    expect(await bench.json("tool-server", "test", "web", "--owner", SAM)).toMatchObject({ ok: true });
    expect((await bench.run(["tool-server", "remove", "web", "--owner", EVE])).code).toBe(0);
    expect((await bench.run(["tool-server", "remove", "web", "--owner", EVE])).code).toBe(9);
  });
});

test("all that was ever printed and recorded holds no key", async () => {
  verifies("tools.manage-sealed");
  await bench.run(["tool-server", "list"]);
  await bench.run(["audit", "export", "--format", "ndjson"]);
  expect(bench.timesPrinted("tool_server.add")).toBeGreaterThan(0);
  expect(bench.timesPrinted("tool_server.approve")).toBeGreaterThan(0);
  expect(bench.timesPrinted(KEY)).toBe(0);
});

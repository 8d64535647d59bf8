import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isRecord, type JsonRecord } from "#core/json/json";
import { asTransport } from "#test/support/mcp-transport";
import { verifies } from "#test/support/verifies";
import { type Answer, BOB, EVE, ToolWorld, until } from "./tools-world";

const EVERYTHING = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const OFFERING = resolve(import.meta.dir, "../support/offering-server.ts");
const INFO = { name: "guardhouse-tests", version: "1.0.0" };

let world: ToolWorld;
const tokens = { bob: "", tools: "", some: "" };
beforeAll(async () => {
  world = await ToolWorld.open({
    env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" },
    before: async (hub) => {
      const run = process.execPath;
      await hub.createUser(BOB);
      await hub.addToolServer("every", { owner: EVE, stdio: [run, EVERYTHING, "stdio"] });
      await hub.addToolServer("notes", { owner: EVE, stdio: [run, OFFERING] });
      await hub.addToolServer("many", { owner: EVE, stdio: [run, OFFERING, "700", "200"] });
      await hub.addToolServer("private", { owner: BOB, stdio: [run, OFFERING] });
      for (const name of ["tools", "some"]) await hub.createAgent(name, EVE);
      await hub.assignTools("notes", EVE, "tools");
      const names = ["--resources", "note://day/*", "--prompts", "link"];
      await hub.cli("tool-server", "assign", "notes", "--owner", EVE, "--agent", "some", ...names);
      tokens.bob = (await hub.createToken(BOB)).token;
      tokens.tools = (await hub.createToken(EVE, "tools")).token;
      tokens.some = (await hub.createToken(EVE, "some")).token;
    },
  });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const asked = (method: string, params: JsonRecord, token?: string): Promise<Answer> =>
  world.minimal(method, params, token === undefined ? {} : { token });
const listOf = ({ body }: Answer, field: string): JsonRecord[] => {
  const list = body[field];
  return Array.isArray(list) ? list.filter(isRecord) : [];
};
/** All pages. */
const uris = async (token?: string): Promise<string[]> => {
  const found: string[] = [];
  let params: JsonRecord = {};
  for (;;) {
    const answer = await asked("resources/list", params, token);
    found.push(...listOf(answer, "resources").map(({ uri }) => `${uri}`));
    if (typeof answer.body["nextCursor"] !== "string") return found;
    params = { cursor: answer.body["nextCursor"] };
  }
};
const read = (uri: string, token?: string) => asked("resources/read", { uri }, token);
const textOf = (answer: Answer): unknown => listOf(answer, "contents")[0]?.["text"];
const names = async (token?: string) =>
  listOf(await asked("prompts/list", {}, token), "prompts").map(({ name }) => name);

const requestInit = () => ({ headers: { authorization: `Bearer ${world.token}` } });
/** What the tests ask of a client, whichever it is. */
type Driver = Pick<Client, "close"> & {
  uris(): Promise<string[]>;
  templates(): Promise<string[]>;
  read(uri: string): Promise<unknown>;
  prompts(): Promise<string[]>;
  prompt(name: string, given: Record<string, string>): Promise<unknown>;
  complete(prompt: string, name: string, value: string): Promise<readonly string[]>;
};
const driverOf = (client: Client | ModernClient): Driver => ({
  close: () => client.close(),
  uris: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  templates: async () => (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  read: (uri) => client.readResource({ uri }),
  prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
  prompt: (name, given) => client.getPrompt({ name, arguments: given }),
  complete: async (prompt, name, value) => {
    const ref = { type: "ref/prompt", name: prompt } as const;
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  },
});
const oldClient = async () => {
  const client = new Client(INFO);
  await client.connect(
    asTransport(new StreamableHTTPClientTransport(new URL(world.url), { requestInit: requestInit() })),
  );
  return driverOf(client);
};
const newClient = async (mode: "legacy" | { pin: string }) => {
  const client = new ModernClient(INFO, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(new URL(world.url), { requestInit: requestInit() }));
  return driverOf(client);
};

describe.each([
  { client: "SDK 1.x", open: oldClient },
  { client: "SDK 2.x as of the 2025 era", open: () => newClient("legacy") },
  { client: "SDK 2.x of the 2026 era", open: () => newClient({ pin: "2026-07-28" }) },
])("$client", ({ open }) => {
  test("lists and reads resources, gets prompts and completes their arguments at the reference server", async () => {
    verifies("tools.resources");
    const client = await open();
    const document = "guardhouse://every/demo://resource/static/document/architecture.md";
    expect(await client.uris()).toContain(document);
    expect(await client.read(document)).toMatchObject({ contents: [{ uri: document, text: expect.any(String) }] });
    const day = "guardhouse://every/demo://resource/dynamic/text/7";
    expect(await client.templates()).toContain(day.replace("7", "{resourceId}"));
    expect(await client.read(day)).toMatchObject({ contents: [{ uri: day }] });
    await expect(client.read("guardhouse://none/note://x")).rejects.toThrow("no such resource");
    expect(await client.prompts()).toContain("every__args-prompt");
    const prompt = await client.prompt("every__args-prompt", { city: "Paris" });
    expect(prompt).toMatchObject({ messages: [{ content: { text: "What's weather in Paris?" } }] });
    expect(await client.complete("every__completable-prompt", "department", "E")).toEqual(["Engineering"]);
    await client.close();
  });
});

describe("what may be read", () => {
  test("is the caller's own, by user and by what the agent was assigned", async () => {
    verifies("tools.resource-scope");
    expect((await uris(tokens.bob)).every((uri) => /^(?:guardhouse|ui):\/\/private\//.test(uri))).toBe(true);
    expect((await read("guardhouse://private/note://day/1")).status).toBe(404);
    expect((await read("guardhouse://notes/note://day/1", tokens.bob)).status).toBe(404);
    // An assignment of tools gives nothing else.
    expect(await uris(tokens.tools)).toEqual([]);
    expect(await names(tokens.tools)).toEqual([]);
    const hidden = await read("guardhouse://notes/note://day/1", tokens.tools);
    expect([hidden.status, (await world.recordOf(hidden)).call.tool.denied_by]).toEqual([404, "agent"]);
    expect((await uris(tokens.some)).every((uri) => uri.startsWith("guardhouse://notes/note://day/"))).toBe(true);
    expect(textOf(await read("guardhouse://notes/note://day/1", tokens.some))).toBe("This is note://day/1");
    expect((await read("guardhouse://notes/note://secret", tokens.some)).status).toBe(404);
    expect(await names(tokens.some)).toEqual(["notes__link"]);
    // Nor does one of resources give tools.
    expect(await world.names(tokens.some)).toEqual([]);
  });

  test("is not reached over dot segments", async () => {
    verifies("tools.resource-traversal");
    for (const uri of ["note://day/../secret", "note://day/%2e%2e/secret", "note://day/%252e%252e%252fsecret"]) {
      expect((await read(`guardhouse://notes/${uri}`, tokens.some)).status).toBe(404);
    }
  });
});

describe("what is read", () => {
  test("is scanned, and the record names the resource and nothing of its content", async () => {
    verifies("tools.resource-scan");
    const answer = await read("guardhouse://notes/note://secret");
    expect(answer.raw).not.toContain("AKIAQYLPMN5HHHFPZAM2");
    const { kind, call } = await world.recordOf(answer);
    expect(kind).toBe("resource.read");
    expect(call.tool).toMatchObject({
      server: "notes",
      tool: "note://secret",
      name: "guardhouse://notes/note://secret",
    });
    // What a template was filled with is the caller's.
    const filled = await read("guardhouse://notes/note://day/ada@example.org");
    expect(JSON.stringify(await world.recordOf(filled))).not.toContain("ada@example.org");
  });

  test("descriptions that hold instructions are not listed", async () => {
    verifies("tools.resource-scan");
    const [listed, prompts] = [await uris(), await names()];
    expect(listed).toContain("guardhouse://notes/note://secret");
    expect(listed).not.toContain("guardhouse://notes/note://trap");
    expect(prompts).toContain("notes__link");
    expect(prompts).not.toContain("notes__trap");
    expect((await asked("prompts/get", { name: "notes__trap" })).status).toBe(404);
  });

  test("a long list comes in pages, each resource once", async () => {
    verifies("tools.offer-pages");
    const many = (await uris()).filter((uri) => uri.startsWith("guardhouse://many/"));
    expect(new Set(many).size).toBe(many.length);
    expect(many.length).toBe(702);
  });

  test("an MCP App keeps its scheme and its content security, and its tool names it", async () => {
    verifies("tools.mcp-apps");
    const app = "ui://notes/panel/main.html";
    const panel = (await world.tools()).find(({ name }) => name === "notes__panel");
    expect(panel).toMatchObject({ _meta: { ui: { resourceUri: app } } });
    expect(await uris()).toContain(app);
    const csp = { ui: { csp: { connectDomains: ["https://api.example.com"] } } };
    expect((await read(app)).body).toMatchObject({ contents: [{ uri: app, text: "<p>Panel</p>", _meta: csp }] });
  });

  test("a resource that its server lists with spaces can be read by the URI that is listed", async () => {
    verifies("tools.resource-uris");
    const uri = "guardhouse://notes/note://my%20notes/first%20of%20all.txt";
    expect(await uris()).toContain(uri);
    const answer = await read(uri);
    expect(answer.body).toMatchObject({ contents: [{ uri, text: "This is note://my notes/first of all.txt" }] });
    // What is not listed is as it was written.
    expect(textOf(await read("guardhouse://notes/note://day/a%20b"))).toBe("This is note://day/a%20b");
    expect((await read("guardhouse://notes/note://my notes/first of all.txt")).status).toBe(404);
    expect((await read(uri, tokens.some)).status).toBe(404);
  });

  test("links in results of tools and prompts can be read back", async () => {
    verifies("tools.resources");
    const { content } = await world.call("notes__link");
    const [link, embedded] = content;
    expect(link?.["uri"]).toBe("guardhouse://notes/note://day/1");
    expect(embedded?.["resource"]).toMatchObject({ uri: "guardhouse://notes/note://day/2" });
    expect(textOf(await read(`${link?.["uri"]}`))).toBe("This is note://day/1");
    // The prompt has the name of a tool.
    const prompt = await asked("prompts/get", { name: "notes__link" });
    expect(prompt.body).toMatchObject({
      messages: [
        { content: { text: "Prompt link" } },
        { content: { resource: { uri: "guardhouse://notes/note://day/1" } } },
      ],
    });
  });
});

test("subscribers are told of changed lists, and a changed prompt is held until it is approved", async () => {
  verifies("tools.offer-changes");
  const before = (await uris()).length;
  const leave = new AbortController();
  const resourceSubscriptions = ["guardhouse://notes/note://day/1"];
  const notifications = { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions };
  const response = await world.askModern("subscriptions/listen", { notifications }, { signal: leave.signal });
  const heard: string[] = [];
  const decoder = new TextDecoder();
  const listening = (async () => {
    for await (const chunk of response.body ?? []) heard.push(decoder.decode(chunk));
  })().catch(() => undefined);
  await until(
    () => heard.join(""),
    (text) => text.includes("acknowledged"),
  );
  // Single resources are not watched, and nobody is told that they were.
  expect(heard.join("")).not.toContain("resourceSubscriptions");
  await world.call("notes__change");
  await until(
    () => heard.join(""),
    (text) => ["prompts/list_changed", "resources/list_changed"].every((one) => text.includes(one)),
  );
  leave.abort();
  await listening;
  expect((await uris()).length).toBe(before + 1);
  expect(await names()).not.toContain("notes__link");
  await world.cli("tool-server", "approve", "notes", "--owner", EVE, "--tools", "link");
  await until(names, (all) => all.includes("notes__link"));
});

import { isRecord, type JsonRecord } from "#core/json/json";
import { ANSWER, type ClientKind, type Driver } from "./clients.ts";
import { CHOSEN, type GatewayWorld, HIDDEN, SCOPES, type Scope } from "./world.ts";

/** One thing a client does. Throws what is wrong. */
export type Row = {
  readonly kind: string;
  readonly scope: Scope;
  readonly what: string;
  /** Capability without which it is not asked for. */
  readonly needs: string;
  /** Not in dialects that have no form for it. */
  readonly without?: ClientKind["dialect"];
  readonly run: (driver: Driver, world: GatewayWorld) => Promise<void>;
};

/** What a row needs is not there, so there is nothing that could pass or fail. */
export class Absent extends Error {}

const must = (isSo: boolean, what: string): void => {
  if (!isSo) throw new Error(what);
};

const listIn = (result: JsonRecord, name: string): JsonRecord[] => {
  const list = result[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
};
const names = (items: readonly JsonRecord[]): string[] => items.map(({ name }) => `${name}`);
const call = (driver: Driver, name: string, args: JsonRecord = {}, onProgress?: (told: number) => void) =>
  driver.ask("tools/call", { name, arguments: args }, onProgress);
const textOf = (result: JsonRecord): string => `${listIn(result, "content")[0]?.["text"]}`;

const refusal = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`;
  }
  throw new Error("it was not refused");
};

const kind = (name: string, needs: string) => {
  return (what: string, run: Row["run"], more: Partial<Row> = {}): Row => ({
    ...{ kind: name, scope: "person", what, needs, run },
    ...more,
  });
};

const tool = kind("tools", "tools");
const resource = kind("resources", "resources");
const prompt = kind("prompts", "prompts");
const completion = kind("completion", "completions");

/** Who may use less than the person. */
const NARROW = SCOPES.filter((scope) => scope !== "person");

/** Of each server one that only it has. */
const KNOWN = [...CHOSEN, HIDDEN, "memory__read_graph", "browser__browser_navigate", "pages__browser_navigate"];

const TOOLS: readonly Row[] = [
  tool("list: every server's", async (driver) => {
    const listed = names(listIn(await driver.ask("tools/list", {}), "tools"));
    const missing = KNOWN.filter((name) => !listed.includes(name));
    must(missing.length === 0, `not listed: ${missing.join(", ")}`);
  }),
  tool("call: text of a program", async (driver) => {
    must(textOf(await call(driver, "everything__echo", { message: "hello" })) === "Echo: hello", "another text");
  }),
  tool("call: a file", async (driver, { home }) => {
    const result = await call(driver, "files__read_text_file", { path: `${home}/files/a.txt` });
    must(textOf(result) === "a file of this folder", "another text");
  }),
  tool("call: structured", async (driver) => {
    const { structuredContent } = await call(driver, "everything__get-structured-content", { location: "Chicago" });
    must(isRecord(structuredContent) && structuredContent["temperature"] === 36, "no structured content");
  }),
  tool("call: an image", async (driver) => {
    const content = listIn(await call(driver, "everything__get-tiny-image"), "content");
    must(
      content.some(({ type, mimeType }) => type === "image" && mimeType === "image/png"),
      "no image",
    );
  }),
  tool("call: what another call wrote", async (driver) => {
    await call(driver, "memory__create_entities", {
      entities: [{ name: "hub", entityType: "program", observations: [] }],
    });
    must(textOf(await call(driver, "memory__read_graph")).includes("hub"), "nothing was kept");
  }),
  tool("error: of the tool", async (driver) => {
    const result = await call(driver, "files__read_text_file", { path: "/nowhere/at/all" });
    must(result["isError"] === true, "it is no error");
  }),
  tool("error: no such tool", async (driver) => {
    const said = await refusal(call(driver, "everything__no-such-tool"));
    must(said.includes("no such tool"), said);
  }),
  tool(
    "progress",
    async (driver) => {
      const told: number[] = [];
      const args = { duration: 0.2, steps: 4 };
      await call(driver, "everything__trigger-long-running-operation", args, (progress) => told.push(progress));
      must(told.join() === "1,2,3,4", `progress ${told.join()}`);
    },
    { without: "minimal" },
  ),
  ...NARROW.map((scope) =>
    tool(
      "list and call: what it may, and no more",
      async (driver) => {
        const listed = names(listIn(await driver.ask("tools/list", {}), "tools")).filter(
          (name) => !name.startsWith("guardhouse__"),
        );
        must(listed.toSorted().join() === [...CHOSEN].toSorted().join(), `listed: ${listed.join(", ")}`);
        must(textOf(await call(driver, CHOSEN[0], { message: "hello" })) === "Echo: hello", "another text");
        const said = await refusal(call(driver, HIDDEN, { a: 1, b: 2 }));
        must(said.includes("no such tool"), said);
      },
      { scope },
    ),
  ),
];

const GRAPH = "guardhouse://memory/memory://knowledge-graph";

/** Names and addresses are taken from the lists: they are the gateway's, made of the servers' own. */
const RESOURCES: readonly Row[] = [
  resource("list and read", async (driver) => {
    const listed = listIn(await driver.ask("resources/list", {}), "resources");
    const found = listed.find(({ name }) => `${name}`.includes("architecture"));
    must(found !== undefined, `not listed, of ${listed.length}`);
    const { contents } = await driver.ask("resources/read", { uri: `${found?.["uri"]}` });
    must(Array.isArray(contents) && isRecord(contents[0]) && `${contents[0]["text"]}`.length > 100, "nothing is in it");
  }),
  resource("templates", async (driver) => {
    const listed = listIn(await driver.ask("resources/templates/list", {}), "resourceTemplates");
    const found = listed.find(({ uriTemplate }) => `${uriTemplate}`.includes("dynamic/text"));
    must(found !== undefined, `not listed, of ${listed.length}`);
    const uri = `${found?.["uriTemplate"]}`.replace(/\{[^}]+\}/, "1");
    const { contents } = await driver.ask("resources/read", { uri });
    must(Array.isArray(contents) && contents.length === 1, "nothing is in it");
  }),
  resource("watch: heard when it changes", async (driver) => {
    if (!driver.watch) throw new Absent("the client has no word for it");
    const heard = await driver.watch(GRAPH);
    for (let at = 0; heard() === 0; at += 1) {
      must(at < 20, "nothing was heard");
      const observations = [`${at}`];
      await call(driver, "memory__create_entities", {
        entities: [{ name: `watched ${crypto.randomUUID()}`, entityType: "test", observations }],
      });
      await Bun.sleep(250);
    }
  }),
  resource("error: no such resource", async (driver) => {
    await refusal(driver.ask("resources/read", { uri: "demo://no/such/resource" }));
  }),
  ...NARROW.map((scope) =>
    resource(
      "nothing of what it was not given",
      async (driver) => {
        const lists = await Promise.all(
          ["resources/list", "resources/templates/list"].map((one) => driver.ask(one, {})),
        );
        const all = lists.flatMap((list) => [...listIn(list, "resources"), ...listIn(list, "resourceTemplates")]);
        must(all.length === 0, `listed: ${names(all).join(", ")}`);
      },
      { scope },
    ),
  ),
];

const PROMPTS: readonly Row[] = [
  prompt("list and get", async (driver) => {
    const listed = names(listIn(await driver.ask("prompts/list", {}), "prompts"));
    const name = listed.find((one) => one.includes("args-prompt")) ?? "";
    const { messages } = await driver.ask("prompts/get", { name, arguments: { city: "Paris" } });
    must(JSON.stringify(messages ?? null).includes("Paris"), `another text, of ${listed.join(", ")}`);
  }),
  prompt("error: no such prompt", async (driver) => {
    await refusal(driver.ask("prompts/get", { name: "everything__no-such-prompt" }));
  }),
  ...NARROW.map((scope) =>
    prompt(
      "nothing of what it was not given",
      async (driver) => {
        const listed = names(listIn(await driver.ask("prompts/list", {}), "prompts"));
        must(listed.length === 0, `listed: ${listed.join(", ")}`);
        await refusal(driver.ask("prompts/get", { name: "everything__simple-prompt" }));
      },
      { scope },
    ),
  ),
];

const COMPLETION: readonly Row[] = [
  completion("of a prompt's argument", async (driver) => {
    const listed = names(listIn(await driver.ask("prompts/list", {}), "prompts"));
    const name = listed.find((one) => one.includes("completable-prompt")) ?? "";
    const ref = { type: "ref/prompt", name };
    const result = await driver.ask("completion/complete", { ref, argument: { name: "department", value: "E" } });
    must(JSON.stringify(result).includes("Engineering"), "not completed");
  }),
];

/** Tools that ask are listed where the gateway passes questions on. */
const ASKS = "everything__trigger-elicitation-request";

const ELICITATION: readonly Row[] = [
  kind("elicitation", "tools")("a form is answered, and the answer arrives", async (driver) => {
    if (!driver.isAsked) throw new Absent("the client is not asked");
    const listed = names(listIn(await driver.ask("tools/list", {}), "tools"));
    if (!listed.includes(ASKS)) throw new Absent("the gateway passes no questions on");
    const result = await call(driver, ASKS);
    must(JSON.stringify(result).includes(ANSWER.content.name), `another answer: ${textOf(result)}`);
  }),
];

export const ROWS: readonly Row[] = [...TOOLS, ...RESOURCES, ...PROMPTS, ...COMPLETION, ...ELICITATION];

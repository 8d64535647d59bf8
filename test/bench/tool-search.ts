import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { isRecord, parseJson } from "#core/json/json";
import { Hub } from "#test/support/hub";
import { type FixtureTool, McpFixture, text, tool } from "#test/support/mcp-fixture";
import { median, spread } from "./stats.ts";
import { figure } from "./table.ts";
import { GATEWAY } from "./tool-course.ts";

const SERVERS = 20;
const OWNER = "search@example.com";
const ROUNDS = 20;

const VERBS = [
  ["create", "Creates a new"],
  ["get", "Reads one"],
  ["list", "Lists every"],
  ["update", "Changes an existing"],
  ["delete", "Deletes one"],
] as const;
const THINGS =
  "issue branch commit release pull_request repository pipeline deployment environment secret alert dashboard metric trace log_entry incident runbook invoice payment refund subscription customer coupon product order shipment warehouse contact lead campaign newsletter email mailbox calendar meeting room channel message thread reaction document folder spreadsheet slide form survey ticket".split(
    " ",
  );

/** What a caller has of one server and knows to ask for. */
const toolsOf = (server: number): FixtureTool[] =>
  THINGS.flatMap((thing) =>
    VERBS.map(([verb, says]) => {
      const words = thing.replaceAll("_", " ");
      const id = { type: "string", description: `Identifier of the ${words}.` };
      const fields = { type: "object", description: `Fields of the ${words}, by name.`, additionalProperties: true };
      return tool(
        `${verb}_${thing}`,
        () => text("done"),
        { type: "object", properties: { id, fields }, required: verb === "list" ? [] : ["id"] },
        { description: `${says} ${words} in the workspace of team ${server}, and answers with it as JSON.` },
      );
    }),
  ).concat(Array.from({ length: 20 }, (_, at) => tool(`report_${at}`, () => text("done"))));

/** Milliseconds of a call each; how many queries named the tool first, and among the five that are answered. */
export type ToolSearch = {
  readonly tools: number;
  readonly listed: { readonly bytes: number; readonly tokens: number };
  readonly searched: { readonly bytes: number; readonly tokens: number };
  /** Tokens of one answer. */
  readonly answerTokens: number;
  readonly firstMs: number;
  readonly ms: readonly number[];
  /** A call that searches nothing: the rest of what a search costs. */
  readonly otherMs: readonly number[];
  readonly best: number;
  readonly amongFive: number;
  readonly queries: number;
};

/** Lists and searches of somebody with 5,000 tools, each asked of the executable. */
export async function measureToolSearch(within: string): Promise<ToolSearch> {
  await using stack = new AsyncDisposableStack();
  const urls = Array.from({ length: SERVERS }, (_, at) => stack.use(McpFixture.start({ tools: toolsOf(at) })).url);
  const plain = await sizeOfList(within, urls, {});
  await using searching = await opened(within, urls, { GUARDHOUSE_TOOL_GATEWAY__SEARCH_ABOVE: "100" });
  const listed = sizeOf(await searching.ask("tools/list"));
  const tools = plain.tools;
  const [times, others, answers]: [number[], number[], number[]] = [[], [], []];
  let [best, amongFive, queries, firstMs] = [0, 0, 0, Number.NaN];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, [verb]] of VERBS.entries()) {
      const server = (round * VERBS.length + at) % SERVERS;
      const thing = THINGS[(round * 7 + at * 3) % THINGS.length] ?? "";
      const query = `${verb} ${thing.replaceAll("_", " ")} server-${server}`;
      const began = performance.now();
      const answer = await searching.call("guardhouse__search_tools", { query });
      const ms = performance.now() - began;
      if (queries === 0) firstMs = ms;
      else times.push(ms);
      const names = namesIn(answer);
      const wanted = `server-${server}__${verb}_${thing}`;
      queries += 1;
      best += Number(names[0] === wanted);
      amongFive += Number(names.includes(wanted));
      answers.push(encode(answer).length);
      const other = performance.now();
      await searching.call("guardhouse__whoami", {});
      others.push(performance.now() - other);
    }
  }
  const sizes = { listed: plain, searched: listed, answerTokens: median(answers) };
  return { tools, ...sizes, firstMs, ms: times, otherMs: others, best, amongFive, queries };
}

async function sizeOfList(within: string, urls: readonly string[], env: Readonly<Record<string, string>>) {
  await using hub = await opened(within, urls, env);
  const list = await hub.ask("tools/list");
  const tools = Object(parseJson(list))["tools"];
  return { ...sizeOf(list), tools: Array.isArray(tools) ? tools.length : 0 };
}

const sizeOf = (list: string) => ({ bytes: Buffer.byteLength(list), tokens: encode(list).length });

async function opened(within: string, urls: readonly string[], env: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await Hub.create({ processes: "all", serve: ["--durability", "full"], within, env }));
  await hub.createUser(OWNER);
  for (const [at, url] of urls.entries()) await hub.addToolServer(`server-${at}`, { owner: OWNER, url });
  const { token } = await hub.createToken(OWNER);
  await hub.start();
  const ask = async (method: string, params: object = {}): Promise<string> => {
    const answer = await hub.fetch(GATEWAY, { token, json: { method, params } });
    const body = await answer.text();
    if (!answer.ok) throw new Error(`${method}: ${answer.status}: ${body.slice(0, 200)}`);
    return body;
  };
  const kept = stack.move();
  return {
    ask,
    call: (name: string, args: object) => ask("tools/call", { name, arguments: args }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const namesIn = (answer: string): string[] => {
  const said = Object(parseJson(answer))["content"]?.[0]?.text;
  const { tools } = Object(parseJson(typeof said === "string" ? said : ""));
  return Array.isArray(tools) ? tools.filter(isRecord).map(({ name }) => `${name}`) : [];
};

/** What searching 5,000 tools adds to a call that searches nothing. */
export const addedBySearch = ({ ms, otherMs }: ToolSearch): number => median(ms) - median(otherMs);

export function toolSearchText(measured: ToolSearch): string {
  const { tools, listed, searched, answerTokens, firstMs, ms, otherMs, best, amongFive, queries } = measured;
  const kilobytes = (bytes: number) => figure(bytes / 1_000, 1);
  return (
    `search among ${tools} tools of ${SERVERS} servers:\n` +
    `  the list: ${kilobytes(listed.bytes)} KB, ${listed.tokens} tokens; instead of it ${kilobytes(searched.bytes)} KB, ` +
    `${searched.tokens} tokens, and ${answerTokens} tokens an answer\n` +
    `  a search: first ${figure(firstMs, 1)} ms, then p50 ${figure(median(ms), 2)}, p99 ${figure(spread(ms).p99, 2)} ms; ` +
    `a call that searches nothing: p50 ${figure(median(otherMs), 2)} ms\n` +
    `  the tool that was meant: first in ${best}, among five in ${amongFive} of ${queries}\n`
  );
}

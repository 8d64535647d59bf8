/*
 * `bun run bench hooks`: what a verdict costs, as a ratio to a bare handler that checks the signature and parses the frame,
 * in the same run and in turns. Conversations grow by a turn at a time, so that only the last turn is new, as those of
 * inference hooks do. One caller after the other: what is asked is the time that a person waits.
 */
import { parseArgs } from "node:util";
import { signedNow } from "#platform/standard-webhooks";
import { Hub } from "#test/support/hub";
import { Child } from "./child.ts";
import { type Figure, lowerIsBetter } from "./figures.ts";
import { quantile } from "./stats.ts";

const USAGE = "bun run bench hooks [--quick] [--json FILE]";
const OWNER = "olga@example.com";
/** Characters of one turn. */
const TURN = 2_000;
const ANTHROPIC = "/v1/guard/hooks/anthropic";

export const HOOKS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const options = { quick: { type: "boolean", default: false }, json: { type: "string" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return () => benchHooks(values.quick, values.json);
  },
};

type Ask = { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };
type Kind = { readonly name: string; readonly ask: (turn: number) => Ask };
type Secrets = { readonly anthropic: string; readonly studio: string; readonly litellm: string };

/** Words that no two turns share, so that none is known from another. */
const words = (of: string, turn: number): string => {
  let text = `Turn ${turn} of ${of}:`;
  for (let at = 0; text.length < TURN; at += 1)
    text += ` ${((turn + 1) * 7_919 + at * 104_729).toString(36)} and so on`;
  return text;
};

const turns = (of: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: words(of, at) }],
  }));

const kindsOf = ({ anthropic, studio, litellm }: Secrets, run: string): readonly Kind[] => {
  let messages = 0;
  const signed = (frame: object): Ask => {
    messages += 1;
    const body = JSON.stringify({ actor: { id: "user_01" }, model: "claude-opus", session_id: run, ...frame });
    return { path: ANTHROPIC, headers: signedNow(`${run}-${messages}`, body, anthropic, Date.now()), body };
  };
  const prompt = (of: string, from: number) => (turn: number) =>
    signed({ type: "prompt", messages: turns(`${run} ${of}`, from + turn + 1) });
  const keyed = (path: string, token: string, json: object): Ask => ({
    ...{ path, headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(json) },
  });
  return [
    { name: "prompt, one new turn", ask: (turn) => signed({ type: "prompt", messages: turns(`${run} ${turn}`, 1) }) },
    { name: "prompt, a conversation from 1 turn on", ask: prompt("short", 0) },
    { name: "prompt, a conversation from 200 turns on", ask: prompt("long", 200) },
    {
      name: "tool call",
      ask: (turn) => {
        const input = { text: words(`${run} call`, turn) };
        const call = { role: "assistant", content: [{ type: "tool_use", tool_name: "send", input }] };
        return signed({ type: "tool_call", messages: [...turns(`${run} calls`, 10), call] });
      },
    },
    { name: "prompt that is denied", ask: (turn) => signed({ type: "prompt", messages: denied(`${run} ${turn}`) }) },
    {
      name: "Copilot Studio",
      ask: (turn) =>
        keyed("/v1/guard/hooks/copilot-studio/analyze-tool-execution", studio, {
          plannerContext: { userMessage: words(`${run} studio`, turn) },
          toolDefinition: { name: "send" },
          inputValues: { text: words(`${run} input`, turn) },
        }),
    },
    {
      name: "LiteLLM",
      ask: (turn) =>
        keyed("/v1/guard/hooks/litellm/beta/litellm_basic_guardrail_api", litellm, {
          input_type: "request",
          texts: [words(`${run} litellm`, turn)],
        }),
    },
    {
      name: "hook of Claude Code",
      ask: (turn) =>
        keyed("/v1/guard/hooks/harness/claude-code", litellm, {
          hook_event_name: "PreToolUse",
          tool_name: "Bash",
          tool_input: { command: words(`${run} bash`, turn) },
        }),
    },
  ];
};

const denied = (of: string) => [
  { role: "user", content: [{ type: "text", text: `${words(of, 0)} AKIAJLWGWBQ6RF4XWVRF` }] },
];

async function benchHooks(quick: boolean, json: string | undefined): Promise<void> {
  await using hub = await Hub.create({ processes: "hub", documented: false });
  await hub.createUser(OWNER);
  const agent = await hub.createAgent("Seats", OWNER);
  await hub.start();
  const secretOf = async (kind: string): Promise<string> =>
    Object((await hub.cli("hook", "source", "add", kind, "--kind", kind, "--agent", agent.id)).json()).secret;
  const anthropic = await secretOf("anthropic");
  const secrets = { anthropic, studio: await secretOf("copilot-studio"), litellm: await secretOf("litellm") };
  await using bare = await Child.start("bare-hooks.ts", anthropic);
  const count = quick ? 20 : 100;
  const figures: Figure[] = [];
  // What has to be made for the first calls is made by others than those that are measured.
  for (const kind of kindsOf(secrets, "warm")) await measured(hub.url, bare.url, kind, quick ? 5 : 30);
  for (const kind of kindsOf(secrets, "measured")) {
    const { verdict, handler } = await measured(hub.url, bare.url, kind, count);
    const ratio = verdict / handler;
    console.log(`${kind.name}: ${verdict.toFixed(2)} ms, bare ${handler.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`);
    figures.push(...lowerIsBetter(`verdict to bare handler, ${kind.name}`, ratio));
  }
  if (json !== undefined) await Bun.write(json, `${JSON.stringify({ figures })}\n`);
}

/** Medians, in milliseconds; hub and handler take turns. */
async function measured(hub: string, bare: string, kind: Kind, count: number) {
  const times: { readonly verdict: number[]; readonly handler: number[] } = { verdict: [], handler: [] };
  for (let turn = 0; turn < count; turn += 1) {
    const ask = kind.ask(turn);
    times.handler.push(await timed(bare, { ...ask, path: "" }));
    times.verdict.push(await timed(hub, ask));
  }
  const median = (some: readonly number[]) =>
    quantile(
      some.toSorted((one, other) => one - other),
      0.5,
    );
  return { verdict: median(times.verdict), handler: median(times.handler) };
}

async function timed(url: string, { path, headers, body }: Ask): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${url}${path}`, { method: "POST", body, headers: { ...headers, ...JSON_TYPE } });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - begun;
}

const JSON_TYPE = { "content-type": "application/json" };

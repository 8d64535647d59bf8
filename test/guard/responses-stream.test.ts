import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { isRecord } from "#core/json/json";
import { RESPONSES } from "#guard/apis/responses";
import { ResponsesStream } from "#guard/apis/responses-stream";
import { StreamGuard } from "#guard/stream/guard";
import { SECRETS, uniform } from "#test/scan/samples";
import { eventText, type Fields, type ItemScript, responseEvents, wholeResponse } from "#test/support/response-script";
import { type Action, type FormName, PLANTED, trySplits } from "#test/support/split-trials";
import { verifies } from "#test/support/verifies";
import { callUnder, MemoryAudit } from "./call-fixture";

setDefaultTimeout(120_000);

test.each(["messages", "responses"] satisfies FormName[])(
  "streams of %s say the same wherever they are cut",
  (form) => {
    verifies("stream.splits");
    fc.assert(
      fc.property(fc.nat(), (seed) => trySplits(form, 20, seed).cuts === 20),
      { numRuns: 20 },
    );
  },
);

/** What leaves of events, in one write. */
const left = (events: readonly Fields[], action: Action, call = callUnder(uniform(action))): string => {
  const guard = new StreamGuard(call, new ResponsesStream(), 64);
  const out = guard.push(events.map(eventText).join("")) + guard.end();
  guard.account();
  return out + guard.lastEvent;
};

const texts = fc
  .array(fc.constantFrom("Hello", "world.", "é", "🌍", '"quoted"', ...PLANTED), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(" "));

const item: fc.Arbitrary<ItemScript> = fc.oneof(
  texts.map((text) => ({ text, annotations: [{ type: "url_citation", url: "https://a.example/", title: text }] })),
  texts.map((refusal) => ({ refusal })),
  fc.tuple(texts, texts).map(([reasoning, summary]) => ({ reasoning, summary })),
  texts.map((text) => ({ tool: "save", arguments: JSON.stringify({ text }) })),
  texts.map((input) => ({ custom: "note", input })),
  fc.tuple(texts, texts).map(([text, output]) => ({ mcp: "find", arguments: JSON.stringify({ text }), output })),
  fc.tuple(texts, texts).map(([code, logs]) => ({ code, logs })),
  texts.map((text) => ({
    item: { type: "file_search_call", status: "completed", queries: [text], results: [{ text }] },
  })),
);

/** A call under a policy, and what its record says that was found. */
const recorded = (action: Action) => {
  const audit = new MemoryAudit();
  const call = callUnder(uniform(action), audit);
  call.context.toolInput = RESPONSES.answer.toolInput;
  const found = async () => {
    await call.record.finish("answered", 200);
    const { flags, coverage } = audit.records.at(-1)?.call ?? {};
    return { flags: flags?.map(({ type, param, action }) => `${param} ${type} ${action}`).sort(), coverage };
  };
  return { call, found };
};

describe("a response", () => {
  test("has the same findings whole and streamed, and says the same", async () => {
    verifies("responses.stream-findings");
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<Action>("flag", "redact"),
        async (items, action) => {
          const [whole, streamed] = [recorded(action), recorded(action)];
          const body = structuredClone({ ...wholeResponse({ items }) });
          const walk = RESPONSES.answer.walk(body, 64);
          walk.run();
          whole.call.gate.scanAtOnce(walk, "output");
          const out = left(responseEvents({ items }), action, streamed.call);
          expect((await streamed.found()).flags).toEqual((await whole.found()).flags);
          const last: unknown = JSON.parse(out.slice(out.lastIndexOf("data: ") + 6));
          expect(isRecord(last) && last["response"]).toEqual(body);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The events that leave of a stream that was asked for behind a number, whether they come in one read or one by one. */
const leftBehind = (events: readonly Fields[], after: number | null, isOneRead: boolean): string => {
  const guard = new StreamGuard(callUnder(uniform("redact")), new ResponsesStream({ after }), 64);
  const texts = events.map(eventText);
  let out = "";
  for (const text of isOneRead ? [texts.join("")] : texts) out += guard.push(text);
  out += guard.end();
  guard.account();
  return out + guard.lastEvent;
};

/** Among others, texts in which nothing is found and that leave at once. */
const spoken = fc.oneof(
  item,
  fc.constant<ItemScript>({ text: ["Good ", "mor", "ning ", "to ", "all ", "of ", "you."] }),
);

test("what is asked for behind a number is what stands behind it, however many events a read brings", () => {
  verifies("responses.resumed");
  fc.assert(
    fc.property(
      fc.array(spoken, { minLength: 1, maxLength: 3 }),
      fc.nat(40),
      fc.boolean(),
      (items, after, isOneRead) => {
        const events = responseEvents({ items });
        const whole = leftBehind(events, null, false);
        const wanted = whole
          .split("\n\n")
          .filter((text) => Number(/"sequence_number":(\d+)/.exec(text)?.[1]) > after)
          .map((text) => `${text}\n\n`);
        expect(leftBehind(events, after, isOneRead)).toBe(wanted.join(""));
      },
    ),
    { numRuns: 200 },
  );
});

const KEY = SECRETS.awsAccessKey;
const place = { output_index: 0, item_id: "i_0" };
const between = (...events: readonly Fields[]): Fields[] => {
  const [created, ...rest] = responseEvents({ items: [] });
  return [{ ...created }, ...events, ...rest.slice(-1)].map((event, sequence_number) => ({
    ...event,
    sequence_number,
  }));
};

describe("texts that other tools stream are held against what repeats them", () => {
  test("commands of a shell, its output and the difference of a patch", async () => {
    verifies("responses.stream-repeats", "responses.stream-tools");
    const shell = {
      id: "sh_0",
      type: "shell_call",
      call_id: "c_0",
      status: "completed",
      action: { commands: [`echo ${KEY}`] },
    };
    const output = {
      id: "so_1",
      type: "shell_call_output",
      call_id: "c_0",
      output: [{ stdout: `${KEY}\n`, stderr: "" }],
    };
    const diff = `+ key = ${KEY}`;
    const patch = {
      id: "ap_2",
      type: "apply_patch_call",
      call_id: "c_2",
      status: "completed",
      operation: { type: "create_file", path: "a", diff },
    };
    const events = between(
      { type: "response.output_item.added", output_index: 0, item: { ...shell, action: { commands: [] } } },
      { type: "response.shell_call_command.added", ...place, command_index: 0, command: "" },
      { type: "response.shell_call_command.delta", ...place, command_index: 0, delta: `echo ${KEY.slice(0, 9)}` },
      { type: "response.shell_call_command.delta", ...place, command_index: 0, delta: KEY.slice(9) },
      { type: "response.shell_call_command.done", ...place, command_index: 0, command: `echo ${KEY}` },
      { type: "response.output_item.done", output_index: 0, item: shell },
      { type: "response.output_item.added", output_index: 1, item: { ...output, output: [] } },
      {
        type: "response.shell_call_output_content.delta",
        output_index: 1,
        command_index: 0,
        delta: { stdout: KEY.slice(0, 9) },
      },
      {
        type: "response.shell_call_output_content.delta",
        output_index: 1,
        command_index: 0,
        delta: { stdout: `${KEY.slice(9)}\n` },
      },
      { type: "response.shell_call_output_content.done", output_index: 1, command_index: 0, output: output.output },
      { type: "response.output_item.done", output_index: 1, item: output },
      {
        type: "response.output_item.added",
        output_index: 2,
        item: { ...patch, operation: { ...patch.operation, diff: "" } },
      },
      { type: "response.apply_patch_call_operation_diff.delta", output_index: 2, delta: diff.slice(0, 15) },
      { type: "response.apply_patch_call_operation_diff.delta", output_index: 2, delta: diff.slice(15) },
      { type: "response.apply_patch_call_operation_diff.done", output_index: 2, diff },
      { type: "response.output_item.done", output_index: 2, item: patch },
    );
    const { call, found } = recorded("redact");
    const out = left(events, "redact", call);
    expect(out).not.toContain(KEY.slice(0, 9));
    expect(out).not.toContain(KEY.slice(9));
    expect((await found()).flags).toEqual([
      "output[0].action.commands[0] secret.aws_access_key redact",
      "output[1].output[0].stdout secret.aws_access_key redact",
      "output[2].operation.diff secret.aws_access_key redact",
    ]);
  });

  test("a text that begins with its part goes on in its deltas", () => {
    verifies("responses.stream-repeats");
    const item = { id: "i_0", type: "message", role: "assistant", status: "in_progress", content: [] };
    const part = { type: "output_text", text: `The key ${KEY.slice(0, 9)}`, annotations: [] };
    const events = between(
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.content_part.added", ...place, content_index: 0, part },
      { type: "response.output_text.delta", ...place, content_index: 0, delta: `${KEY.slice(9)} is long` },
      { type: "response.output_text.done", ...place, content_index: 0, text: `The key ${KEY} is long` },
    );
    const out = left(events, "redact");
    expect(out).not.toContain(KEY.slice(0, 9));
    expect(out).not.toContain(KEY.slice(9));
  });

  test("events of several items at a time keep the order they came in", () => {
    verifies("responses.stream");
    const message = { id: "i_1", type: "message", role: "assistant", content: [] };
    const call = { id: "i_0", type: "function_call", call_id: "c_0", name: "save", arguments: "" };
    const events = between(
      { type: "response.output_item.added", output_index: 0, item: call },
      { type: "response.output_item.added", output_index: 1, item: message },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hello" },
      { type: "response.function_call_arguments.delta", ...place, delta: "{}" },
      { type: "response.output_item.done", output_index: 1, item: message },
      { type: "response.output_item.done", output_index: 0, item: { ...call, arguments: "{}" } },
    );
    expect(left(events, "redact")).toBe(events.map(eventText).join(""));
  });

  test("log probabilities go where their text was changed", () => {
    verifies("responses.stream-repeats");
    const logprobs = [{ token: KEY, logprob: -0.1, top_logprobs: [{ token: KEY, logprob: -0.1 }] }];
    const text = { type: "response.output_text.delta", ...place, content_index: 0, delta: KEY, logprobs };
    const events = between(
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { id: "i_0", type: "message", role: "assistant", content: [] },
      },
      text,
      {
        ...{ type: "response.output_text.done", ...place, content_index: 0, text: KEY, logprobs },
      },
    );
    const out = left(events, "redact");
    expect(out).not.toContain(KEY);
    expect(out.match(/"logprobs":\[\]/g)).toHaveLength(2);
  });

  test("sound is no text, and recorded as not scanned", async () => {
    verifies("responses.stream-unknown");
    const delta = Buffer.alloc(600, 7).toString("base64");
    const { call, found } = recorded("redact");
    const events = between(
      { type: "response.audio.delta", delta },
      { type: "response.audio.transcript.delta", delta: `key ${KEY}` },
    );
    const out = left(events, "redact", call);
    expect(out).toContain(delta);
    expect(out).not.toContain(KEY);
    expect((await found()).coverage?.output.unscanned).toMatchObject([{ reason: "binary" }]);
  });
});

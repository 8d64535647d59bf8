import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { outputText, ResponsesWorld, responds } from "./responses-world";

let world: ResponsesWorld;
beforeAll(async () => {
  world = await ResponsesWorld.open({ env: { GUARDHOUSE_UPSTREAM__RETRIES: "0" } });
});
afterAll(() => world[Symbol.asyncDispose]());

const EMAIL = PERSONAL.email;
const OPAQUE = `gAAAAAB${"c29tZXRoaW5n".repeat(20)}==`;
const PICTURE = Buffer.from(
  Uint8Array.from({ length: 3_000 }, (_, at) => (at < 4 ? [137, 80, 78, 71][at] : at * at * 31 + at * 17) ?? 0),
).toString("base64");

const asked = async (input: unknown, more: object = {}) => {
  world.provider.next(responds([outputText("Hello")]));
  const response = await world.send({ input, ...more });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const { final } = await world.recordsOf(response);
  return { call: final.call, sent: world.provider.lastCall.text };
};

const places = ({ flags }: Awaited<ReturnType<typeof asked>>["call"]) =>
  flags.filter(({ type }) => type === "pii.email").map(({ param, origin }) => `${origin} ${param}`);

describe("items of a request", () => {
  /** An item, and whose words the hub takes the addresses in it for, with where. */
  const ITEMS: readonly (readonly [item: object, places: readonly string[]])[] = [
    [{ role: "user", content: EMAIL }, ["user content"]],
    [{ type: null, role: "user", content: EMAIL }, ["user content"]],
    [
      { type: "message", role: "developer", content: [{ type: "input_text", text: EMAIL }] },
      ["system content[0].text"],
    ],
    [
      { role: "assistant", content: [{ type: "output_text", text: EMAIL, annotations: [] }] },
      ["assistant content[0].text"],
    ],
    [
      { type: "function_call", call_id: "c1", name: "mail", arguments: JSON.stringify({ to: [{ at: EMAIL }] }) },
      ["tool_args arguments.*[0].*"],
    ],
    [{ type: "function_call_output", call_id: "c1", output: EMAIL }, ["tool_result output"]],
    [
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: EMAIL }] },
      ["tool_result output[0].text"],
    ],
    [{ type: "custom_tool_call", call_id: "c2", name: "note", input: `to ${EMAIL}` }, ["tool_args input"]],
    [{ type: "custom_tool_call_output", call_id: "c2", output: EMAIL }, ["tool_result output"]],
    [
      {
        ...{ type: "reasoning", id: "rs_1", encrypted_content: OPAQUE },
        summary: [{ type: "summary_text", text: EMAIL }],
        content: [{ type: "reasoning_text", text: EMAIL }],
      },
      ["assistant summary[0].text", "assistant content[0].text"],
    ],
    [
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: EMAIL } },
      ["tool_args action.query"],
    ],
    [
      {
        ...{ type: "file_search_call", id: "fs_1", status: "completed", queries: [`who is ${EMAIL}`] },
        results: [{ file_id: "f1", filename: "a.txt", text: EMAIL, score: 0.5 }],
      },
      ["tool_args queries[0]", "tool_result results[0].text"],
    ],
    [
      {
        ...{ type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", status: "completed" },
        code: `print("${EMAIL}")`,
        outputs: [{ type: "logs", logs: EMAIL }],
      },
      ["tool_args code", "tool_result outputs[0].logs"],
    ],
    [
      { type: "computer_call", id: "cu_1", call_id: "c3", status: "completed", action: { type: "type", text: EMAIL } },
      ["tool_args action.text"],
    ],
    [
      {
        ...{ type: "local_shell_call", id: "ls_1", call_id: "c4", status: "completed" },
        action: { type: "exec", command: ["mail", EMAIL], env: { TO: EMAIL } },
      },
      ["tool_args action.command[1]", "tool_args action.env.*"],
    ],
    [{ type: "local_shell_call_output", id: "c4", output: EMAIL }, ["tool_result output"]],
    [{ type: "shell_call", call_id: "c5", action: { commands: [`mail ${EMAIL}`] } }, ["tool_args action.commands[0]"]],
    [
      {
        ...{ type: "shell_call_output", call_id: "c5" },
        output: [{ stdout: EMAIL, stderr: EMAIL, outcome: { type: "exit", exit_code: 0 } }],
      },
      ["tool_result output[0].stdout", "tool_result output[0].stderr"],
    ],
    [
      {
        ...{ type: "apply_patch_call", call_id: "c6", status: "completed" },
        operation: { type: "create_file", path: "a.txt", diff: `+${EMAIL}` },
      },
      ["tool_args operation.diff"],
    ],
    [{ type: "apply_patch_call_output", call_id: "c6", status: "completed", output: EMAIL }, ["tool_result output"]],
    [
      {
        ...{ type: "mcp_call", id: "m1", server_label: "crm", name: "find" },
        arguments: JSON.stringify({ q: EMAIL }),
        output: EMAIL,
      },
      ["tool_args arguments.*", "tool_result output"],
    ],
    [
      {
        ...{ type: "mcp_call", id: "m1", server_label: "crm", name: "find", arguments: "{}" },
        error: { type: "http_error", code: 500, message: EMAIL },
      },
      ["tool_result error.message"],
    ],
    [
      {
        type: "mcp_list_tools",
        id: "m2",
        server_label: "crm",
        tools: [{ name: "find", description: EMAIL, input_schema: {} }],
      },
      ["tool_definition tools[0].description"],
    ],
    [
      {
        type: "mcp_approval_request",
        id: "m3",
        server_label: "crm",
        name: "f",
        arguments: JSON.stringify({ to: EMAIL }),
      },
      ["tool_args arguments.*"],
    ],
    [{ type: "mcp_approval_response", approval_request_id: "m3", approve: true, reason: EMAIL }, ["user reason"]],
    [
      { type: "image_generation_call", id: "ig_1", status: "completed", result: PICTURE, revised_prompt: EMAIL },
      ["tool_args revised_prompt"],
    ],
    [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "n", description: EMAIL }] },
      ["tool_definition tools[0].description"],
    ],
    [{ type: "program", id: "p1", call_id: "c7", code: `f("${EMAIL}")`, fingerprint: OPAQUE }, ["tool_args code"]],
    [{ type: "program_output", id: "p2", call_id: "c7", result: EMAIL, status: "completed" }, ["tool_result result"]],
    [{ type: "nobody_knows_this", note: { of: EMAIL } }, ["user *.*"]],
  ];

  test("are scanned by whose words they hold", async () => {
    verifies("responses.redaction");
    const input = ITEMS.map(([item]) => item);
    const { call, sent } = await asked(input, { instructions: EMAIL, metadata: { note: EMAIL } });
    const wanted = ITEMS.flatMap(([, own], at) => own.map((place) => place.replace(" ", ` input[${at}].`)));
    expect(places(call).sort()).toEqual([...wanted, "system instructions", "user metadata.*"].sort());
    expect(sent).not.toContain(EMAIL);
  });

  test("encrypted state and pictures stay as they are, and are recorded as not scanned", async () => {
    verifies("responses.redaction");
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: OPAQUE };
    const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result: PICTURE };
    const compaction = { type: "compaction", encrypted_content: OPAQUE };
    const image = {
      role: "user",
      content: [{ type: "input_image", detail: "auto", image_url: "https://example.com/a.png" }],
    };
    const input = [reasoning, picture, compaction, image];
    const { call, sent } = await asked(input);
    expect(sent).toBe(JSON.stringify({ model: MODEL, input }));
    expect(call.flags).toEqual([]);
    expect(call.coverage.input.unscanned).toEqual([
      { param: "input[0].encrypted_content", reason: "opaque" },
      { param: "input[1].result", reason: "binary" },
      { param: "input[2].encrypted_content", reason: "opaque" },
      { param: "input[3].content[0].image_url", reason: "remote_media" },
    ]);
  });

  test("text in place of encrypted state is read", async () => {
    verifies("responses.redaction");
    const { sent } = await asked([{ role: "user", content: "Hi", encrypted_content: EMAIL }]);
    expect(sent).not.toContain(EMAIL);
  });

  test("JSON stays JSON", async () => {
    verifies("responses.redaction");
    const output = JSON.stringify({ owner: EMAIL, card: 4_111_111_111_111_111, left: [1.5, null] });
    const { sent } = await asked([{ type: "function_call_output", call_id: "c1", output }]);
    const [item] = JSON.parse(sent).input;
    expect(JSON.parse(item.output)).toEqual({
      owner: expect.stringContaining("pii.email"),
      card: expect.anything(),
      left: [1.5, null],
    });
  });

  test("log probabilities of earlier answers do not carry what their text may not", async () => {
    verifies("responses.redaction");
    const logprobs = [...EMAIL].map((token) => ({ token, bytes: [], logprob: -0.5, top_logprobs: [] }));
    const part = { type: "output_text", text: EMAIL, annotations: [], logprobs };
    const { sent } = await asked([{ role: "assistant", content: [part] }]);
    expect(JSON.parse(sent).input[0].content[0].logprobs).toEqual([]);
  });
});

describe("a request's definitions", () => {
  test("of tools, formats and prompts are scanned", async () => {
    verifies("responses.redaction");
    const { call, sent } = await asked("Hi", {
      tools: [
        { type: "function", name: "find", description: EMAIL, parameters: { type: "object" }, strict: false },
        {
          type: "namespace",
          name: "crm",
          description: "CRM",
          tools: [{ type: "custom", name: "n", description: EMAIL }],
        },
        { type: "mcp", server_label: "crm", server_url: "https://mcp.example.com", server_description: EMAIL },
      ],
      text: {
        format: { type: "json_schema", name: "a", description: EMAIL, schema: { type: "object", title: EMAIL } },
      },
      prompt: { id: "pmpt_1", variables: { name: EMAIL, file: { type: "input_text", text: EMAIL } } },
    });
    expect(sent).not.toContain(EMAIL);
    expect(places(call).sort()).toEqual(
      [
        "tool_definition tools[0].description",
        "tool_definition tools[1].tools[0].description",
        "tool_definition tools[2].server_description",
        "tool_definition text.format.description",
        "tool_definition text.format.schema.title",
        "user prompt.variables.name",
        "user prompt.variables.file.text",
      ].sort(),
    );
  });
});

describe("items of a response", () => {
  test("are scanned, and what it repeats of its request is what the provider was sent", async () => {
    verifies("responses.redaction");
    const output = [
      { type: "reasoning", id: "rs_1", encrypted_content: OPAQUE, summary: [{ type: "summary_text", text: EMAIL }] },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "mail", arguments: JSON.stringify({ to: EMAIL }) },
      {
        ...{ type: "file_search_call", id: "fs_1", status: "completed", queries: [EMAIL] },
        results: [{ text: EMAIL }],
      },
      outputText(`Write to ${EMAIL}.`, { logprobs: [{ token: EMAIL, bytes: [], logprob: 0, top_logprobs: [] }] }),
    ];
    const repeated = {
      instructions: `Be brief, ${EMAIL}`,
      metadata: { note: EMAIL },
      output_text: `Write to ${EMAIL}.`,
    };
    world.provider.next(responds(output, repeated));
    const response = await world.send("Hi");
    const text = await response.text();
    expect(text).not.toContain(EMAIL);
    const answer = JSON.parse(text);
    expect(answer.output[0].encrypted_content).toBe(OPAQUE);
    expect(JSON.parse(answer.output[1].arguments).to).toContain("pii.email");
    expect(answer.output[3].content[0]).toMatchObject({ text: answer.output_text, logprobs: [] });
    const { final } = await world.recordsOf(response);
    expect(final.call.coverage.output.unscanned).toEqual([{ param: "output[0].encrypted_content", reason: "opaque" }]);
  });
});

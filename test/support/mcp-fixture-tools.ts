import type { JsonRecord } from "#core/json/json";
import { RpcFault } from "./mcp-fixture-answer.ts";

export type Era = "2025" | "2026";

/** One call as a tool of the fixture sees it. */
export type ToolCall = {
  readonly arguments: JsonRecord;
  /** All parameters as they came. */
  readonly params: JsonRecord;
  readonly era: Era;
  /** What the client said it can do: when the session began (2025), or with this request (2026). */
  readonly capabilities: JsonRecord;
  /** What this session's calls left behind. The 2026 wire has one for everybody: it has no sessions. */
  readonly memory: Map<string, number>;
  /** Aborts when the client cancels. */
  readonly gone: AbortSignal;
  /** Does nothing when the client asked for no progress. */
  readonly progress: (progress: number, total: number, message?: string) => void;
  readonly log: (level: string, data: unknown) => void;
  /** Any notification on the call's own stream. */
  readonly notify: (method: string, params: JsonRecord) => void;
  /** Asks the client on the call's own stream; only in the 2025 era. */
  readonly ask: (method: string, params: JsonRecord) => Promise<JsonRecord>;
  /** Changes the list of tools, and says so to who listens. */
  readonly changeTools: () => void;
};

export type Definition = JsonRecord & { readonly name: string };
export type FixtureTool = {
  readonly definition: Definition;
  readonly run: (call: ToolCall) => JsonRecord | Promise<JsonRecord>;
};

export const text = (words: string, more: JsonRecord = {}): JsonRecord => ({
  content: [{ type: "text", text: words }],
  ...more,
});

/** A tool with a description; takes no arguments unless a schema is given. */
export const tool = (
  name: string,
  run: FixtureTool["run"],
  inputSchema: JsonRecord = { type: "object", properties: {} },
  more: JsonRecord = {},
): FixtureTool => ({
  definition: { name, description: `Test tool ${name.replaceAll("_", " ")}.`, inputSchema, ...more },
  run,
});

const takes = (properties: JsonRecord, required: readonly string[] = Object.keys(properties)): JsonRecord => ({
  type: "object",
  properties,
  required,
});
const STRING = { type: "string" };
const NUMBER = { type: "number" };

const echo = tool("echo", (call) => text(`${call.arguments["message"] ?? ""}`), takes({ message: STRING }, []));

const add = tool(
  "add",
  ({ arguments: { a, b } }) => {
    if (typeof a !== "number" || typeof b !== "number") return text("a and b have to be numbers", { isError: true });
    return text(`${a + b}`, { structuredContent: { sum: a + b } });
  },
  takes({ a: NUMBER, b: NUMBER }),
  {
    title: "Addition",
    outputSchema: takes({ sum: NUMBER }),
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
);

/** Reports progress `steps` times, `gap_ms` apart, then answers. Ends early when cancelled. */
const slow = tool(
  "slow",
  async ({ arguments: { steps = 3, gap_ms = 20, message }, progress, gone }) => {
    const last = Number(steps);
    for (let step = 1; step <= last; step += 1) {
      await Bun.sleep(Number(gap_ms));
      if (gone.aborted) return text("stopped");
      progress(step, last, typeof message === "string" ? message : undefined);
    }
    return text(`done after ${last} steps`);
  },
  takes({ steps: NUMBER, gap_ms: NUMBER, message: STRING }, []),
);

/** Counts the calls of one session. */
const counter = tool("counter", ({ memory }) => {
  const count = (memory.get("counter") ?? 0) + 1;
  memory.set("counter", count);
  return text(`${count}`);
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A second's thousandth of silence. */
const silence = (): string => {
  const wav = Buffer.alloc(44 + 8);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(36 + 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8000, 24);
  wav.writeUInt32LE(8000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(8, 40);
  wav.fill(128, 44);
  return wav.toString("base64");
};

const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, content: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: content },
});

const contents: readonly FixtureTool[] = [
  tool("test_simple_text", () => text("This is a simple text response for testing.")),
  tool("test_image_content", () => ({ content: [image] })),
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: silence(), mimeType: "audio/wav" }] })),
  tool("test_embedded_resource", () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  })),
  tool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  })),
  tool("test_error_handling", () => text("This tool intentionally returns an error for testing", { isError: true })),
  tool("test_tool_with_progress", async ({ progress }) => {
    for (const at of [0, 50, 100]) {
      progress(at, 100);
      await Bun.sleep(20);
    }
    return text("Three times progress");
  }),
  tool("test_tool_with_logging", async ({ log }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      log("info", line);
      await Bun.sleep(20);
    }
    return text("Three log lines");
  }),
  tool("test_logging_tool", ({ log }) => {
    log("info", "A line for who asked for it");
    return text("Said so");
  }),
  tool("test_trigger_tool_change", ({ changeTools }) => {
    changeTools();
    return text("The list has changed");
  }),
  tool("test_missing_capability", ({ capabilities }) => {
    if (capabilities["sampling"] !== undefined) return text("The client can sample");
    throw new RpcFault(-32021, "This tool needs the client's sampling", { requiredCapabilities: { sampling: {} } });
  }),
];

const titled = (...values: readonly string[]) => values.map((value) => ({ const: value, title: `Choice ${value}` }));

/** Asks for a form with these fields. */
const elicits = (name: string, properties: JsonRecord): FixtureTool =>
  tool(name, async ({ ask }) => {
    const requestedSchema = { type: "object", properties };
    const { action, content } = await ask("elicitation/create", { message: "Please fill in", requestedSchema });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  });

const asking: readonly FixtureTool[] = [
  tool(
    "test_sampling",
    async ({ arguments: { prompt }, ask }) => {
      const message = { role: "user", content: { type: "text", text: `${prompt}` } };
      const { content } = await ask("sampling/createMessage", { messages: [message], maxTokens: 100 });
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
    takes({ prompt: STRING }),
  ),
  tool(
    "test_elicitation",
    async ({ arguments: { message }, ask }) => {
      const requestedSchema = takes({ username: STRING, email: STRING });
      const { action, content } = await ask("elicitation/create", { message, requestedSchema });
      return text(`User response: ${action}, ${JSON.stringify(content)}`);
    },
    takes({ message: STRING }),
  ),
  elicits("test_elicitation_sep1034_defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  elicits("test_elicitation_sep1330_enums", {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled("value1", "value2", "value3") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: titled("value1", "value2", "value3") } },
  }),
];

/** As text: an object with a field `then` would look like a promise. */
const JSON_SCHEMA_2020_12: JsonRecord = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`);

const schemas: readonly FixtureTool[] = [
  tool("json_schema_2020_12_tool", ({ arguments: given }) => text(JSON.stringify(given)), JSON_SCHEMA_2020_12),
  tool(
    "test_header_tool",
    ({ arguments: { region } }) => text(`Region ${region}`),
    takes({ region: { type: "string", "x-mcp-header": "Region" }, note: STRING }, ["region"]),
  ),
];

/** What the fixture offers unless told otherwise, without the tools that ask back by `input_required`. */
export const TOOLS: readonly FixtureTool[] = [echo, add, slow, counter, ...contents, ...asking, ...schemas];

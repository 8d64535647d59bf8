/** A place of a request body that text can stand in: the body with a text there, and the path an error names. */
export type Place = { readonly where: string; readonly param: string; readonly body: (text: string) => Body };

type Body = { readonly messages: readonly object[]; readonly [field: string]: unknown };

const HELLO = { role: "user", content: "Hello there" };

/** In the first message; `param` continues `messages[0]`. */
const message = (where: string, param: string, make: (text: string) => object): Place => ({
  where,
  param: `messages[0]${param}`,
  body: (text) => ({ messages: [make(text), HELLO] }),
});

/** Beside the messages. */
const field = (where: string, param: string, make: (text: string) => object): Place => ({
  where,
  param,
  body: (text) => ({ messages: [HELLO], ...make(text) }),
});

const part = (content: object) => ({ role: "user", content: [{ type: "text", text: "Look:" }, content] });
const calling = (call: object) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", ...call }],
});
const tool = (spec: object) => ({ tools: [{ type: "function", function: { name: "lookup", ...spec } }] });
const property = (schema: object) =>
  tool({ parameters: { type: "object", properties: { city: { type: "string", ...schema } } } });

const MESSAGES: readonly Place[] = [
  ...["system", "developer", "user", "assistant", "tool", "function", "narrator", "constructor"].map((role) =>
    message(`content of ${role}`, ".content", (text) => ({
      role,
      content: `It is ${text}, yes`,
      tool_call_id: "call_1",
    })),
  ),
  message("a text part", ".content[1].text", (text) => part({ type: "text", text })),
  message("a refusal part", ".content[1].refusal", (text) => part({ type: "refusal", refusal: text })),
  message("a part of a kind nobody knows", ".content[1].*.*", (text) =>
    part({ type: "hologram", hologram: { caption: text } }),
  ),
  message("the address of an image", ".content[1].image_url.url", (text) =>
    part({ type: "image_url", image_url: { url: `https://img.example/?q=${text}`, detail: "auto" } }),
  ),
  message("what pretends to be an image", ".content", (text) => ({
    role: "user",
    content: `data:image/png;base64,${text}`,
  })),
  message("what pretends to be a file", ".content[1].file.file_data", (text) =>
    part({ type: "file", file: { file_data: `data:application/pdf;base64,AAAA ${text}` } }),
  ),
  message("a file's name", ".content[1].file.filename", (text) =>
    part({ type: "file", file: { filename: `${text} (1).pdf`, file_id: "file-1" } }),
  ),
  message("the result of a tool, in parts", ".content[0].text", (text) => ({
    role: "tool",
    tool_call_id: "call_1",
    content: [{ type: "text", text }],
  })),
  message("the name of a speaker", ".name", (name) => ({ role: "user", name, content: "Hello" })),
  message("a refusal of the assistant", ".refusal", (refusal) => ({ role: "assistant", content: null, refusal })),
  message("a role that is no role", ".role", (role) => ({ role: role.slice(0, 64), content: "Hello" })),
  message("the id of a tool call", ".tool_call_id", (id) => ({
    role: "tool",
    tool_call_id: id,
    content: "24 degrees",
  })),
  message("arguments", ".tool_calls[0].function.arguments.city", (city) =>
    calling({ function: { name: "lookup", arguments: JSON.stringify({ city, days: 3 }) } }),
  ),
  message("arguments, deep in them", ".tool_calls[0].function.arguments.*[0].id", (id) =>
    calling({ function: { name: "lookup", arguments: JSON.stringify({ list: [{ id }] }) } }),
  ),
  message("arguments within arguments", ".tool_calls[0].function.arguments.arguments.city", (city) =>
    calling({ function: { name: "lookup", arguments: JSON.stringify({ arguments: JSON.stringify({ city }) }) } }),
  ),
  message("arguments that are no JSON", ".tool_calls[0].function.arguments", (text) =>
    calling({ function: { name: "lookup", arguments: `city=${text} ` } }),
  ),
  message("the name of a called function", ".tool_calls[0].function.name", (name) =>
    calling({ function: { name, arguments: "{}" } }),
  ),
  message("the input of a custom tool", ".tool_calls[0].custom.input", (input) =>
    calling({ type: "custom", custom: { name: "sql", input: `SELECT '${input}' ` } }),
  ),
  message("a function call of old", ".function_call.arguments.city", (city) => ({
    role: "assistant",
    function_call: { name: "lookup", arguments: JSON.stringify({ city }) },
  })),
  message("a field nobody knows", ".*[1].*", (note) => ({
    role: "user",
    content: "Hello",
    annotations_v9: ["a", { note }],
  })),
  message("a field's name", ".*", (text) => ({ role: "user", content: "Hello", [text]: 1 })),
];

const FIELDS: readonly Place[] = [
  field("a tool's description", "tools[0].function.description", (description) => tool({ description })),
  field("a tool's name", "tools[0].function.name", (name) => tool({ name })),
  ...["description", "title", "const", "default"].map((key) =>
    field(`a schema's ${key}`, `tools[0].function.parameters.properties.city.${key}`, (text) =>
      property({ [key]: text }),
    ),
  ),
  ...["enum", "examples"].map((key) =>
    field(`a schema's ${key}`, `tools[0].function.parameters.properties.city.${key}[1]`, (text) =>
      property({ [key]: ["Berlin", text] }),
    ),
  ),
  field("a property's name", "tools[0].function.parameters.properties.*", (text) =>
    tool({ parameters: { type: "object", properties: { [text]: {} } } }),
  ),
  field("a custom tool's description", "tools[0].custom.description", (description) => ({
    tools: [{ type: "custom", custom: { name: "sql", description } }],
  })),
  field("a custom tool's grammar", "tools[0].custom.format.grammar.definition", (text) => ({
    tools: [
      {
        type: "custom",
        custom: {
          name: "sql",
          format: { type: "grammar", grammar: { syntax: "lark", definition: `start: "${text}"` } },
        },
      },
    ],
  })),
  field("functions of old", "functions[0].description", (description) => ({
    functions: [{ name: "lookup", description }],
  })),
  field("a tool choice", "tool_choice.function.name", (name) => ({
    tool_choice: { type: "function", function: { name } },
  })),
  field("a response schema", "response_format.json_schema.schema.description", (description) => ({
    response_format: { type: "json_schema", json_schema: { name: "out", schema: { type: "object", description } } },
  })),
  field("a response schema's name", "response_format.json_schema.name", (name) => ({
    response_format: { type: "json_schema", json_schema: { name, schema: {} } },
  })),
  field("a prediction", "prediction.content", (content) => ({ prediction: { type: "content", content } })),
  field("a prediction in parts", "prediction.content[0].text", (text) => ({
    prediction: { type: "content", content: [{ type: "text", text }] },
  })),
  field("a stop sequence", "stop", (stop) => ({ stop })),
  field("one of the stop sequences", "stop[1]", (text) => ({ stop: ["END", text] })),
  field("metadata", "metadata.*", (text) => ({ metadata: { customer: text } })),
  field("metadata under a protocol word", "metadata.id", (id) => ({ metadata: { id } })),
  field("a name in the metadata", "metadata.*", (text) => ({ metadata: { [text]: "yes" } })),
  field("the user", "user", (user) => ({ user })),
  field("the safety identifier", "safety_identifier", (text) => ({ safety_identifier: text })),
  field("the cache key", "prompt_cache_key", (text) => ({ prompt_cache_key: text })),
  field("the user's place", "web_search_options.user_location.approximate.city", (city) => ({
    web_search_options: { user_location: { type: "approximate", approximate: { city } } },
  })),
  field("a voice", "audio.*.id", (id) => ({ audio: { format: "mp3", voice: { id } } })),
  field("a bias's name", "logit_bias.*", (text) => ({ logit_bias: { [text]: -100 } })),
  field("template arguments", "*.*", (text) => ({ chat_template_kwargs: { persona: text } })),
  field("documents", "documents[0].text", (text) => ({ documents: [{ id: "d1", text }] })),
  field("what a library would merge in", "extra_body.*.*[0]", (text) => ({
    extra_body: { guided: { choices_of: [text] } },
  })),
  field("a field nobody knows", "*", (text) => ({ brand_new: text })),
  field("a field's name", "*", (text) => ({ [text]: true })),
  field("a field named like every object's", "*", (text) => ({ constructor: text })),
  field("media that is none", "*.data", (text) => ({ thing: { data: `${"A".repeat(300)} ${text}` } })),
];

/** Every place of the published interface a request can carry text in, and some that are in no interface. */
export const PLACES: readonly Place[] = [...MESSAGES, ...FIELDS];

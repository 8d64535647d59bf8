import type { Requirement } from "./requirement";

const SOURCE = "docs/model-apis.md#openai-responses";

/** What is promised of OpenAI's Responses API. */
export const RESPONSES: readonly Requirement[] = [
  {
    id: "responses.client",
    promise: "OpenAI's own client creates responses through the hub, and their usage is recorded.",
    source: SOURCE,
  },
  {
    id: "responses.redaction",
    promise: "Texts of every item are scanned by whose they are, in requests and in responses.",
    source: SOURCE,
  },
  { id: "responses.echo", promise: "guardhouse/echo answers Responses, with tools.", source: SOURCE },
];

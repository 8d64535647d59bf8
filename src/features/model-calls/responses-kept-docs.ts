import { Type } from "#core/schema";
import { CALL_ERRORS, UPSTREAM_ERRORS } from "#http/openapi/errors";
import { describe } from "#http/openapi/route-doc";
import { oneOf } from "#http/openapi/schemas";
import { ANSWERED, Answer, STREAMED } from "./responses-docs";

const OPEN = { additionalProperties: true } as const;
const ID = { id: Type.String({ description: "As the hub answered it to the same caller.", examples: ["resp_7f3"] }) };
const ERRORS = [...CALL_ERRORS, ...UPSTREAM_ERRORS, "not_found", "parameter_not_allowed"] as const;
const KEPT = "Of what was answered to the same user and agent through the hub; any other id is `not_found`.";

export const RETRIEVE_RESPONSE = describe("Responses", "A response that its provider keeps, scanned and audited", {
  description: `${KEPT} What the provider gives is scanned like a new answer. \`include[]\` and \`include_obfuscation\` go to the provider. With \`stream=true\` the answer is a stream of events; \`starting_after\` leaves out those up to a number, which are scanned all the same.`,
  params: ID,
  query: {
    stream: Type.Boolean({ description: "The response as a stream of events." }),
    starting_after: Type.Integer({
      minimum: 0,
      maximum: 999_999_999,
      description: "Of a stream only the events behind the one of this number.",
    }),
  },
  answers: {
    200: {
      schema: Answer,
      example: ANSWERED,
      description: "The response, after redaction.",
      or: { media: "text/event-stream", example: STREAMED },
    },
  },
  errors: ERRORS,
});

const Deleted = Type.Object(
  {
    id: Type.String({ examples: ["resp_7f3"] }),
    object: Type.Optional(Type.String({ examples: ["response.deleted"] })),
    deleted: Type.Optional(Type.Boolean({ examples: [true] })),
  },
  { ...OPEN, $id: "DeletedResponse" },
);

export const DELETE_RESPONSE = describe("Responses", "Delete a response at its provider", {
  description: KEPT,
  params: ID,
  answers: { 200: { schema: Deleted, description: "As the provider says it." } },
  errors: ERRORS,
});

export const CANCEL_RESPONSE = describe("Responses", "Cancel a response in the background", {
  description: KEPT,
  params: ID,
  answers: {
    200: { schema: Answer, example: { ...ANSWERED, status: "cancelled" }, description: "As far as it came." },
  },
  errors: ERRORS,
});

const InputItems = Type.Object(
  {
    object: Type.Optional(Type.String({ examples: ["list"] })),
    data: Type.Array(Type.Object({ type: Type.Optional(Type.String({ examples: ["message"] })) }, OPEN)),
    has_more: Type.Optional(Type.Boolean({ examples: [false] })),
  },
  { ...OPEN, $id: "InputItems" },
);

export const LIST_INPUT_ITEMS = describe("Responses", "What a response was made from", {
  description: `${KEPT} Scanned like an answer. \`include[]\` goes to the provider, too.`,
  params: ID,
  query: {
    limit: Type.Integer({ minimum: 1, maximum: 100, description: "Maximum number of items." }),
    order: oneOf(["asc", "desc"], "Order of the items."),
    after: Type.String({ description: "Items after this one.", examples: ["msg_7f3"] }),
    before: Type.String({ description: "Items before this one.", examples: ["msg_7f3"] }),
  },
  answers: { 200: { schema: InputItems, description: "Items, after redaction." } },
  errors: ERRORS,
});

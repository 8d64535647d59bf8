import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json";
import { type Static, type TSchema, Type } from "#core/schema";
import { Shape } from "#core/shape";
import { CREDENTIAL_KINDS, PIN_STATES, type ToolCredentials, TRANSPORTS } from "#core/tool";
import { oneOf, orNull } from "#http/openapi/shapes";

const closed = { additionalProperties: false } as const;

export const SERVER_STATUSES = ["inactive", "unreachable", "unauthorized", "changed", "active"] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];

export const ShownTool = Type.Object({
  name: Type.String({ description: "What callers call it." }),
  tool: Type.String({ description: "What its server calls it." }),
  status: oneOf(PIN_STATES),
  flags: Type.Array(Type.String(), { description: "What the guard found in its definition." }),
  present: Type.Boolean({ description: "Whether the server's last list had it." }),
  hash: Type.String({ description: "Of the definition last seen: what an approval names." }),
});
export type ShownTool = Static<typeof ShownTool>;

/** A tool server as people are shown it: never its credentials, only of what kind they are. */
export const ShownToolServer = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    owner: Type.String({ description: "E-mail address." }),
    transport: oneOf(TRANSPORTS),
    url: orNull(Type.String()),
    command: orNull(Type.Array(Type.String())),
    active: Type.Boolean(),
    status: oneOf(SERVER_STATUSES),
    credentials: Type.Object({ kind: oneOf(CREDENTIAL_KINDS), headers: Type.Optional(Type.Array(Type.String())) }),
    given_by: oneOf(["operator", "user"]),
    call_ms: orNull(Type.Integer()),
    list_ms: orNull(Type.Integer()),
    tools: Type.Array(ShownTool),
    created_at: Type.String(),
  },
  { $id: "ToolServer" },
);
export type ShownToolServer = Static<typeof ShownToolServer>;

const Optional = Type.Optional(orNull(Type.String()));
export const Credentials = Type.Union(
  [
    Type.Object({ kind: Type.Literal("none") }, closed),
    Type.Object({ kind: Type.Literal("headers"), headers: Type.Record(Type.String(), Type.String()) }, closed),
    Type.Object(
      {
        kind: Type.Literal("client_credentials"),
        client_id: Type.String({ minLength: 1 }),
        client_secret: Type.String({ minLength: 1 }),
        scope: Optional,
      },
      closed,
    ),
    Type.Object(
      { kind: Type.Literal("authorization_code"), client_id: Optional, client_secret: Optional, scope: Optional },
      closed,
    ),
  ],
  {
    description:
      'credentials must be {"kind":"none"}, {"kind":"headers","headers":{…}}, {"kind":"client_credentials","client_id","client_secret"} or {"kind":"authorization_code"}',
  },
);

/** Null for none. */
export const credentialsFrom = (given: Static<typeof Credentials>): ToolCredentials | null => {
  if (given.kind === "none") return null;
  if (given.kind === "headers") return given;
  const scope = given.scope ?? null;
  if (given.kind === "client_credentials") return { ...given, scope };
  return { kind: given.kind, client_id: given.client_id ?? null, client_secret: given.client_secret ?? null, scope };
};

const Wait = Type.Optional(
  orNull(
    Type.Integer({
      minimum: 1,
      maximum: 86_400_000,
      description: "milliseconds from 1 to 86400000, or null for the hub's default",
    }),
  ),
);
const Tools = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: 2_000,
  description: "tools must be a list of names",
});

export const NewToolServer = Type.Object(
  {
    slug: Type.String({ description: "slug must be a string" }),
    url: Type.String({ description: "url must be a string" }),
    transport: Type.Optional(
      Type.Union([Type.Literal("streamable-http"), Type.Literal("sse")], {
        description: "transport must be streamable-http or sse",
      }),
    ),
    credentials: Type.Optional(Credentials),
    call_ms: Wait,
    list_ms: Wait,
  },
  { ...closed, $id: "NewToolServer" },
);

export const ToolServerChange = Type.Object(
  {
    active: Type.Optional(Type.Boolean({ description: "active must be true or false" })),
    credentials: Type.Optional(Credentials),
    call_ms: Wait,
    list_ms: Wait,
  },
  { ...closed, minProperties: 1, $id: "ToolServerChange" },
);

export const Approval = Type.Object(
  {
    tools: Type.Array(Type.Object({ tool: Type.String(), hash: Type.String() }, closed), {
      minItems: 1,
      maxItems: 2_000,
      description: 'tools must be a list of {"tool", "hash"}: approve what you have read',
    }),
  },
  { ...closed, $id: "ToolApproval" },
);

export const Assignment = Type.Object({ tools: Type.Optional(orNull(Tools)) }, { ...closed, $id: "ToolAssignment" });

/** One kind of body: refuses what has another shape, and says where in our own words. */
export class BodyCheck<T extends TSchema> {
  private readonly shape;

  constructor(schema: T) {
    this.shape = new Shape(schema);
  }

  /** Throws `invalid_value`; `parameter_not_allowed` for what would start a program on the hub's machine. */
  check(body: unknown): Static<T> {
    if (isRecord(body) && ("command" in body || body["transport"] === "stdio")) {
      throw new GuardError(
        "parameter_not_allowed",
        `Servers that the hub starts as programs are added by its operators: ${commandLine(COMMANDS.addToolProgram("SLUG", "EMAIL"))}`,
        { param: "command" in body ? "command" : "transport" },
      );
    }
    if (this.shape.fits(body)) return body;
    const fault = this.shape.faults(body).First();
    const param = fault?.path.slice(1).split("/")[0];
    const known = fault?.schema["description"];
    const message = typeof known === "string" ? known : "the body must be a JSON object of the documented fields";
    throw new GuardError("invalid_value", `Not what is expected here: ${message}.`, {
      param: param !== undefined && /^[a-z_]{1,32}$/.test(param) ? param : undefined,
    });
  }
}

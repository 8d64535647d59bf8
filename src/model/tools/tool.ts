import { LEGACY_VERSIONS, MODERN_VERSIONS } from "./mcp";
import type { Tool, Unchecked } from "./mcp-types";

export const TRANSPORTS = ["streamable-http", "sse", "stdio"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Versions of MCP, newest first. */
export const PROTOCOL_VERSIONS = [...MODERN_VERSIONS, ...LEGACY_VERSIONS] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** How the hub proves itself to a tool server. Never with its caller's own token. */
export const CREDENTIAL_KINDS = ["none", "headers", "environment", "client_credentials", "authorization_code"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Lower-case, without underscores: the first `__` of a public name always ends the slug. */
export const SLUG = /^[a-z0-9-]{1,24}$/;
/** The hub's own tools stand under it. */
export const OWN_SLUG = "guardhouse";

/** Longest description of a server in a registry, by the registry's schema. */
export const MAX_PUBLISHED_AS = 100;

/** A connected MCP server. Times are Unix milliseconds, limits milliseconds. */
export type ToolServer = {
  readonly id: string;
  readonly owner_id: string;
  readonly slug: string;
  readonly transport: Transport;
  /** Null for stdio. */
  readonly url: string | null;
  /** Program and arguments of a stdio server, else null. */
  readonly command: readonly string[] | null;
  /** Who gave the address: an operator's may be private, a user's is checked at every connection. */
  readonly given_by: "operator" | "user";
  readonly active: boolean;
  readonly credential_kind: CredentialKind;
  /** `ToolCredentials` as sealed JSON; null for none. */
  readonly sealed_credentials: string | null;
  /** Raised with every change of credentials: connections made with older ones are closed. */
  readonly credential_version: number;
  /** Longest silence of a call; null for the hub's default. */
  readonly call_ms: number | null;
  /** Longest wait for its list; null for the hub's default. */
  readonly list_ms: number | null;
  /** When it was published in the hub's registry; null for not. */
  readonly published_at: number | null;
  /** What the registry says of it; null where it was not published. */
  readonly published_as: string | null;
  /** The only version of MCP that it is spoken to in; null for whichever both sides know. */
  readonly protocol: ProtocolVersion | null;
  /** Where it may ask users to open a page, beside its own host and those of the hub's setting. */
  readonly elicitation_hosts: readonly string[];
  readonly created_at: number;
};

/** What is sealed for a server. */
export type ToolCredentials =
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** Variables of a stdio server's process, beside the bare necessities. */
  | { readonly kind: "environment"; readonly variables: Readonly<Record<string, string>> }
  | {
      readonly kind: "client_credentials";
      readonly client_id: string;
      readonly client_secret: string;
      readonly scope: string | null;
    }
  | {
      readonly kind: "authorization_code";
      /** Null where the hub registers itself (RFC 7591). */
      readonly client_id: string | null;
      readonly client_secret: string | null;
      readonly scope: string | null;
    };

/** What a server's credentials are sealed for; needed again to open them. */
export const credentialsPurpose = (serverId: string): string => `tool_server.credentials:${serverId}`;
/** What the tokens a server's OAuth gave are sealed for. */
export const grantPurpose = (serverId: string): string => `tool_server.grant:${serverId}`;

/** A tool as its server describes it. Only the name was checked; fields nobody here knows are kept. */
export type ToolDefinition = Unchecked<Tool> & Pick<Tool, "name">;

/** What of a server's is pinned: its definitions. Resources come and go, and are not. */
export const PIN_KINDS = ["tool", "prompt", "template"] as const;
export type PinKind = (typeof PIN_KINDS)[number];

/**
 * One tool, prompt or resource template of one server as it was last seen, and as it was approved. `hash` is over the canonical definition, see
 * `guard/tools/discovery.ts`. A tool keeps its row, and with it its public name, when its server no longer lists it.
 */
export type ToolPin = {
  readonly server_id: string;
  readonly kind: PinKind;
  /** The server's own name for it; of a template its URI template. */
  readonly tool: string;
  /** `{slug}__{tool}`, shortened where it had to be; of a template the public URI template. Never changes. */
  readonly name: string;
  /** The definition as JSON. */
  readonly seen: string;
  readonly seen_hash: string;
  /** What callers are shown; null when it was never approved. */
  readonly pinned: string | null;
  readonly pinned_hash: string | null;
  /** Flag types the guard found in what was seen. */
  readonly flags: readonly string[];
  /** Hidden characters in the definition: never to be approved. */
  readonly refused: boolean;
  /** Whether the server's last list had it. */
  readonly present: boolean;
  readonly seen_at: number;
  /** Whether it was pinned by a version that did not keep `_meta`. */
  readonly lacks_meta: boolean;
};

export const PIN_STATES = ["approved", "changed", "new", "suspect", "refused"] as const;
/** `suspect`: never approved, and the guard found something in it. */
export type PinState = (typeof PIN_STATES)[number];

export const pinState = ({ refused, pinned_hash, seen_hash, flags }: ToolPin): PinState => {
  if (refused) return "refused";
  if (pinned_hash === seen_hash) return "approved";
  if (pinned_hash !== null) return "changed";
  return flags.length > 0 ? "suspect" : "new";
};

/** Whether a person is asked about the tool: it is listed, and not as it was approved. */
export const awaitsApproval = (pin: ToolPin): boolean => {
  const state = pinState(pin);
  return pin.present && state !== "approved" && state !== "refused";
};

/** Which tool it is: its server, and its definition as it was approved. */
export const identityOf = ({ server_id, tool, pinned_hash }: ToolPin): string =>
  JSON.stringify([server_id, tool, pinned_hash]);

/** What an agent may use of a server: tools by their own names, or null for all of them. */
export type ToolAssignment = {
  readonly agent_id: string;
  readonly server_id: string;
  readonly tools: readonly string[] | null;
  /** Patterns of the server's own URIs. */
  readonly resources: readonly string[];
  /** Their own names; `*` for all. */
  readonly prompts: readonly string[];
};

/** What every client takes: OpenAI allows 64, and so does the strictest IDE. */
export const MAX_NAME_LENGTH = 64;
const MIN_HASH_LENGTH = 6;

export type NamedTool = { readonly slug: string; readonly serverId: string; readonly tool: string };

/**
 * The public name of a tool: `{slug}__{tool}` of `A-Za-z0-9_-`, at most 64. What is too long, or taken already, ends
 * in a hash of server and tool, so that it is the same wherever and whenever it is made. Names are given once and
 * kept: nothing ever reads a tool's own name back out of one. `digest` gives hexadecimal digits, 32 at least.
 */
export const publicName = (
  { slug, serverId, tool }: NamedTool,
  taken: Pick<ReadonlySet<string>, "has">,
  digest: (text: string) => string,
): string => {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (tool !== "" && plain.length <= MAX_NAME_LENGTH && !taken.has(plain)) return plain;
  const hash = digest(`${serverId}\0${tool}`);
  for (let length = MIN_HASH_LENGTH; ; length += 2) {
    const suffix = `_${hash.slice(0, length)}`;
    const name = plain.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!taken.has(name) || length >= hash.length) return name;
  }
};

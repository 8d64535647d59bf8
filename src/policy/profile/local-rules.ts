import { type Static, type TSchema, Type } from "#core/schema";
import { MAX_PATTERN } from "#core/wildcards";
import { PERMISSIONS } from "#policy/commands/permission";

/* What a coding agent may do on its machine: sections of a profile. Each is absent where nothing is said of it. */

const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    description === undefined ? {} : { description },
  );
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** Patterns in one list. */
export const MAX_PATTERNS = 200;

export const LocalPattern = Type.String({
  minLength: 1,
  maxLength: MAX_PATTERN,
  pattern:
    "^[^\\u0000-\\u001f\\u007f\\ufffe\\uffff]*[^\\s\\u0000-\\u001f\\u007f\\ufffe\\uffff][^\\u0000-\\u001f\\u007f\\ufffe\\uffff]*$",
});
const patterns = (description: string) => Type.Array(LocalPattern, { maxItems: MAX_PATTERNS, description });

/** What hooks may be asked of a host. */
export const OTHER_HOSTS = ["ask", "deny"] as const;
/** What becomes of what would be redacted where a hook cannot. */
export const HOOK_REDACTS = ["deny", "allow"] as const;
/** The longest that rules hold without the hub, in minutes. */
export const MAX_OFFLINE_MINUTES = 1_440;

const lists = (what: string) => ({
  default: oneOf(PERMISSIONS, `Permission of ${what} that no pattern matches.`),
  allow: patterns(`Patterns of ${what} that are allowed.`),
  ask: patterns(`Patterns of ${what} that the user is asked about.`),
  deny: patterns(`Patterns of ${what} that are denied.`),
});

/** Of several patterns that match the strictest counts. */
export const ProfileCommands = Type.Object(
  {
    ...lists("commands"),
    hosts: nullable(Type.Array(Type.String({ maxLength: 253 }), { maxItems: MAX_PATTERNS })),
    other_hosts: oneOf(
      OTHER_HOSTS,
      "Permission of commands that name a host outside `hosts`, or one that cannot be told.",
    ),
  },
  closed,
);

export const ProfileFiles = Type.Object(
  {
    read: Type.Object(lists("files to read"), closed),
    write: Type.Object(lists("files to write or delete"), closed),
  },
  closed,
);

export const ProfileHooks = Type.Object(
  {
    redact: oneOf(HOOK_REDACTS, "What becomes of a text with findings to redact, where a hook cannot replace it."),
    offline_minutes: Type.Integer({
      minimum: 0,
      maximum: MAX_OFFLINE_MINUTES,
      description: "How long commands and files are decided by the last rules fetched while the hub cannot be reached.",
    }),
  },
  closed,
);
export type ProfileHooks = Static<typeof ProfileHooks>;

/** Where a profile says nothing of them. */
export const USUAL_HOOKS: ProfileHooks = { redact: "deny", offline_minutes: 0 };

import { Role, USER_STATES } from "#core/person";
import { type Static, Type } from "#core/schema";
import { Id, Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/* What is shown of people. */

export const ShownUser = Type.Object(
  {
    object: Type.Literal("user"),
    id: Id,
    email: Type.String(),
    name: orNull(Type.String({ examples: ["Eve"] })),
    role: Role,
    state: oneOf(USER_STATES, "Of a disabled one nothing opens anything."),
    created_at: Moment,
  },
  { $id: "User" },
);
export type ShownUser = Static<typeof ShownUser>;
export const UserPage = pageSchema(ShownUser);

export const Invited = Type.Object(
  {
    user: ShownUser,
    link: Type.String({ format: "uri", description: "Shown once and kept nowhere." }),
    expires_at: Moment,
  },
  { $id: "Invited" },
);
export type Invited = Static<typeof Invited>;

export const Me = Type.Object(
  {
    user: ShownUser,
    session: Type.Object({
      id: Id,
      expires_at: Moment,
      fresh_until: orNull(Moment),
    }),
  },
  { $id: "Me" },
);
export type Me = Static<typeof Me>;

/** One thing somebody is signed in with. */
export const ShownSession = Type.Object(
  {
    object: Type.Literal("session"),
    id: Id,
    kind: oneOf(["browser", "key"], "A key is made on the command line."),
    current: Type.Boolean({ description: "What this was asked with." }),
    user_agent: orNull(Type.String()),
    ip_address: orNull(Type.String({ examples: ["192.0.2.7"] })),
    created_at: Moment,
    expires_at: Moment,
  },
  { $id: "Session" },
);
export type ShownSession = Static<typeof ShownSession>;
export const SessionPage = pageSchema(ShownSession);

import { checkedLater, type Static, Type } from "#core/schema";
import { Id, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { Role, USER_STATES } from "#model/person";

const closed = { additionalProperties: false } as const;

/** One at-sign, and none of what would need quotes (`goodEmail`). */
const EMAIL = '^[^\\s@<>"\\\\,;:]+@[^\\s@<>"\\\\,;:]+$';
const NO_CONTROLS = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

export const NewInvitation = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254, ...checkedLater({ pattern: EMAIL }) }),
    name: Type.Optional(
      Type.Union([Type.String({ maxLength: 100, ...checkedLater({ pattern: NO_CONTROLS }) }), Type.Null()]),
    ),
    role: Role,
  },
  { ...closed, $id: "NewInvitation" },
);
export type NewInvitation = Static<typeof NewInvitation>;

export const UserChange = Type.Object(
  {
    role: Type.Optional(Role),
    state: Type.Optional(Type.Union(USER_STATES.map((state) => Type.Literal(state)))),
  },
  { ...closed, $id: "UserChange", minProperties: 1 },
);
export type UserChange = Static<typeof UserChange>;

const Password = Type.String({ minLength: 1, maxLength: 256 });

export const Confirmation = Type.Object({ password: Password }, { ...closed, $id: "Confirmation" });
export type Confirmation = Static<typeof Confirmation>;

export const PasswordChange = Type.Object(
  { current_password: Password, new_password: Password },
  { ...closed, $id: "PasswordChange" },
);
export type PasswordChange = Static<typeof PasswordChange>;

/* What is shown of people. */

export const UserResponse = Type.Object(
  {
    object: Type.Literal("user"),
    id: Id,
    email: Type.String(),
    name: orNull(Type.String({ examples: ["Eve"] })),
    role: Role,
    state: oneOf(USER_STATES, "Credentials of a disabled user are refused."),
    created_at: Moment,
  },
  { $id: "User" },
);
export type UserResponse = Static<typeof UserResponse>;
export const UserPage = pageSchema(UserResponse);

export const Invited = Type.Object(
  {
    user: UserResponse,
    link: Type.String({ format: "uri", description: "Shown once, never stored." }),
    expires_at: Moment,
  },
  { $id: "Invited" },
);
export type Invited = Static<typeof Invited>;

export const Me = Type.Object(
  {
    user: UserResponse,
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
export const SessionResponse = Type.Object(
  {
    object: Type.Literal("session"),
    id: Id,
    kind: oneOf(["browser", "key"], "A key is made on the command line."),
    current: Type.Boolean({ description: "The session of this request." }),
    user_agent: orNull(Type.String()),
    ip_address: orNull(Type.String({ examples: ["192.0.2.7"] })),
    created_at: Moment,
    expires_at: Moment,
  },
  { $id: "Session" },
);
export type SessionResponse = Static<typeof SessionResponse>;
export const SessionPage = pageSchema(SessionResponse);

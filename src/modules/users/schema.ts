import { Role, USER_STATES } from "#core/person";
import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;

export const NewInvitation = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254 }),
    name: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
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

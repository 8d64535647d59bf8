import { type Static, Type } from "#core/schema";

export const ROLES = ["admin", "reviewer", "analyst", "member", "auditor"] as const;
export const Role = Type.Union(ROLES.map((role) => Type.Literal(role)));
export type Role = (typeof ROLES)[number];

export const USER_STATES = ["active", "disabled"] as const;

/** Somebody who may sign in, own agents and hold tokens. Times are Unix milliseconds. */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  role: Role,
  /** Of a disabled one nothing opens anything: no token, no session, no grant. */
  state: Type.Union(USER_STATES.map((state) => Type.Literal(state))),
  created_at: Type.Integer(),
});
export type User = Static<typeof User>;

import { type Static, Type } from "#core/schema";

export const ROLES = ["admin", "reviewer", "analyst", "member", "auditor"] as const;
export const Role = Type.Union(ROLES.map((role) => Type.Literal(role)));
export type Role = (typeof ROLES)[number];

/** Somebody who may sign in, own agents and hold tokens. Times are Unix milliseconds. */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  role: Role,
  created_at: Type.Integer(),
});
export type User = Static<typeof User>;

export const LIFECYCLES = ["active", "suspended", "retired"] as const;

/** A registered AI agent. `review_status` is `draft` until its review begins. */
export const Agent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner_id: Type.String(),
  review_status: Type.String(),
  lifecycle: Type.Union(LIFECYCLES.map((state) => Type.Literal(state))),
  created_at: Type.Integer(),
});
export type Agent = Static<typeof Agent>;

/** What a coding agent may do by itself, what its person is asked about, and what is refused; from lenient to strict. */
export const PERMISSIONS = ["allow", "ask", "deny"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What rules say of one act: the permission, and the rule it comes from. */
export type Ruling = { readonly permission: Permission; readonly rule: string };

export const isStricter = (one: Permission, other: Permission): boolean =>
  PERMISSIONS.indexOf(one) > PERMISSIONS.indexOf(other);

export const stricterOf = (one: Ruling, other: Ruling): Ruling =>
  isStricter(other.permission, one.permission) ? other : one;

/** What is allowed, asked about and denied, by pattern; of several that match the strictest counts. */
export type ListRules = {
  /** What holds where no pattern matches. */
  readonly default: Permission;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
};

/** What holds for what cannot be told: the strictest that the rules have for anything. */
export const strictestOf = ({ default: usual, ask, deny }: Pick<ListRules, "default" | "ask" | "deny">): Permission => {
  if (usual === "deny" || deny.length > 0) return "deny";
  return usual === "ask" || ask.length > 0 ? "ask" : "allow";
};

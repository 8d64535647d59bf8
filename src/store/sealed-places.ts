/*
 * Every column with values encrypted with the master key. A key change goes by this list: what is
 * not on it would be lost with the old one, which is why nothing is sealed for a purpose that is not here.
 */

export type SealedPlace = {
  /** What all purposes here begin with. They end in what the row's column `bound` holds. */
  readonly purpose: string;
  readonly table: string;
  /** Null for nothing, or a sealed value; with `many`, a JSON list of them. */
  readonly column: string;
  readonly many: boolean;
  /** Tells the rows apart. */
  readonly key: string;
  readonly bound: string;
};

type Rest = Partial<Pick<SealedPlace, "many" | "key" | "bound">>;

const place = (purpose: string, name: `${string}.${string}`, rest: Rest = {}): SealedPlace => {
  const [table = "", column = ""] = name.split(".");
  const key = rest.key ?? "id";
  return { purpose, table, column, key, bound: rest.bound ?? key, many: rest.many ?? false };
};

export const SEALED_PLACES: readonly SealedPlace[] = [
  place("hub_secret:", "hub_secret.sealed", { key: "name" }),
  place("provider.api_key:", "provider.sealed_key"),
  place("tool_server.credentials:", "tool_server.sealed_credentials"),
  place("tool_server.grant:", "tool_grant.sealed", { key: "server_id" }),
  place("tool_server.sign_in:", "tool_authorization.sealed", { key: "state_hash", bound: "server_id" }),
  place("alert_destination.secret:", "alert_destination.sealed"),
  place("webhook.secret:", "webhook.sealed_secrets", { many: true }),
  place("hook_source.secret:", "hook_source.sealed_secrets", { many: true }),
  place("hold ", "hold.sealed_arguments"),
  place("report ", "report.sealed_content"),
  place("content ", "kept_content.sealed"),
  place("conversation ", "conversation_said.sealed"),
];

export const nameOf = ({ table, column }: SealedPlace): string => `${table}.${column}`;

/** Throws for a purpose of no known place. */
export const placeOf = (purpose: string): SealedPlace => {
  const found = SEALED_PLACES.find((it) => purpose.startsWith(it.purpose));
  if (!found) throw new Error(`Nothing is sealed for "${purpose.split(/[ :]/)[0]}": list its column in sealed-places`);
  return found;
};

import { Tag } from "#dashboard/parts/chip";
import type { ItemOf } from "#dashboard/parts/hooks";

export const CLIENT_TABS = [
  { to: "/clients", label: "Mine" },
  { to: "/clients/all", label: "All users" },
] as const;

export const CLIENTS_HINT = "OAuth clients, such as IDEs, that use tools through the hub on behalf of a user.";

type Shown = Pick<
  ItemOf<"GET /api/oauth/all-clients">,
  "name" | "described_by" | "returns_to" | "client_id" | "created_at" | "state"
>;

const SHOWN = 4;

/** The name is the program's own word, so it stands in quotes beside what is known of it. */
export const ClientName = ({ client: { name, described_by } }: { readonly client: Shown }) => (
  <>
    <span className="font-medium">“{name ?? "unnamed"}”</span>
    <span className="block text-[13px] text-muted">
      {described_by ? `claims to be from ${described_by}` : "unverified name"}
    </span>
  </>
);

export const ReturnsTo = ({ client: { returns_to } }: { readonly client: Shown }) => (
  <span className="block max-w-56 text-[13px]">{returns_to.join(", ")}</span>
);

/** An allowlist in short. */
export const Allowed = ({ tools }: { readonly tools: readonly string[] }) => {
  if (tools.length === 0) return <span className="text-muted">none</span>;
  if (tools.includes("*")) return <>all tools (incl. future)</>;
  return (
    <span className="flex max-w-72 flex-wrap gap-1">
      {tools.slice(0, SHOWN).map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {tools.length > SHOWN && <span className="text-muted">+{tools.length - SHOWN}</span>}
    </span>
  );
};

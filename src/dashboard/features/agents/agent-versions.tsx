import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { Dialog } from "#dashboard/parts/dialog";
import { Differences } from "#dashboard/parts/differences";
import { Select } from "#dashboard/parts/field";
import { type ItemOf, useGet, useList } from "#dashboard/parts/hooks";
import { Await } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { AgentData } from "./agent-frame";

type Profile = ItemOf<"GET /api/agents/:id/profiles">;

/** Every profile it had, and what changed between any two. */
export const ProfileVersions = ({ agent }: { readonly agent: AgentData }) => {
  const [open, setOpen] = useState<number | null>(null);
  const list = useList("GET /api/agents/:id/profiles", { params: { id: agent.id }, query: { limit: "50" } });
  const columns: readonly Column<Profile>[] = [
    { name: "Version", cell: ({ version }) => <span className="font-medium">v{version}</span> },
    { name: "State", cell: ({ status }) => <StateChip of={status} /> },
    { name: "Tier", cell: ({ risk_tier }) => risk_tier },
    { name: "Since", cell: ({ effective_from }) => <Time at={effective_from} /> },
    {
      name: "Changes",
      hidden: true,
      cell: ({ version }) =>
        list.items.length > 1 && (
          <Button small onClick={() => setOpen(version)} aria-label={`Compare version ${version}`}>
            Compare
          </Button>
        ),
      align: "right",
    },
  ];
  return (
    <Card title="Versions" hint="Every change creates a new version." flush>
      <Table
        label="Profile versions"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="p-4 text-center text-muted">No versions yet.</p>}
      />
      {open !== null && (
        <Compare
          agent={agent}
          version={open}
          others={list.items.map(({ version }) => version).filter((version) => version !== open)}
          onClose={() => setOpen(null)}
        />
      )}
    </Card>
  );
};

const Compare = ({
  agent,
  version,
  others,
  onClose,
}: {
  readonly agent: AgentData;
  readonly version: number;
  readonly others: readonly number[];
  readonly onClose: () => void;
}) => {
  const [against, setAgainst] = useState(String(others.find((one) => one < version) ?? others[0] ?? version));
  const diff = useGet("GET /api/agents/:id/profiles/:version", {
    params: { id: agent.id, version: String(version) },
    query: { diff: against },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Version ${version}`}
      hint="Changes, and whether they loosen or tighten."
      wide
    >
      <div className="mb-3 w-48">
        <Select
          label="Compare with"
          value={against}
          onValue={setAgainst}
          choices={others.map((one) => ({ value: String(one), label: `version ${one}` }))}
        />
      </div>
      <Await query={diff}>
        {({ changes = [] }) =>
          changes.length === 0 ? (
            <p className="py-4 text-center text-muted">No differences.</p>
          ) : (
            <Differences changes={changes} note={({ direction }) => <Direction of={direction} />} />
          )
        }
      </Await>
    </Dialog>
  );
};

const Direction = ({ of }: { readonly of: "stricter" | "looser" | "other" }) =>
  of === "other" ? null : <Chip tone={of === "stricter" ? "ok" : "warn"}>{of}</Chip>;

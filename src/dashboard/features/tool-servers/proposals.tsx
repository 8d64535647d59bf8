import { Download } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useToasts } from "#dashboard/parts/toast";
import { ProposalDialog } from "./proposal";

type Proposal = ItemOf<"GET /api/registry/proposals">;

const STATES = ["proposed", "approved", "rejected", "replaced"] as const;

const columns = (open: (id: string) => void): readonly Column<Proposal>[] => [
  {
    name: "Server",
    cell: ({ id, name, description }) => (
      <>
        <button type="button" className="font-medium hover:underline" onClick={() => open(id)}>
          {name}
        </button>
        <span className="block max-w-100 truncate text-xs text-muted">{description}</span>
      </>
    ),
  },
  { name: "Version", cell: ({ version }) => version },
  { name: "State", cell: ({ state }) => <StateChip of={state} /> },
  { name: "From", cell: ({ source }) => <span className="block max-w-60 truncate">{source}</span>, minor: true },
  { name: "Imported", cell: ({ imported_at }) => <Time at={imported_at} />, minor: true },
];

const ProposalsScreen = () => {
  const [opened, setOpened] = useState<string | null>(null);
  const [importing, setImporting] = useOpened("new");
  const isAdmin = useHasRole("admin");
  const { values, clear, active, filter } = useFilters(["q", "state"]);
  const state = STATES.find((one) => one === values.state);
  const query = { ...(values.q && { q: values.q }), ...(state && { state }) };
  const list = useList("GET /api/registry/proposals", { query });
  const action = isAdmin && (
    <Button kind="primary" icon={Download} onClick={() => setImporting(true)}>
      Import
    </Button>
  );
  return (
    <Page
      title="Proposals"
      above={<TextLink to="/tool-servers">Tool servers</TextLink>}
      hint="Servers that other registries list. Nothing is connected to or run before a proposal is approved."
      actions={action}
    >
      <Card flush>
        <FilterBar>
          <FilterText label="Name" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={choicesOf(STATES)} />
        </FilterBar>
        <Table
          label="Proposals"
          list={list}
          columns={columns(setOpened)}
          keyOf={({ id }) => id}
          filters={{ active, clear }}
          empty={
            <Empty title="No proposals yet." action={action}>
              Import servers of the official registry, or of another hub.
            </Empty>
          }
        />
      </Card>
      {importing && isAdmin && <Import onClose={() => setImporting(false)} />}
      {opened !== null && <ProposalDialog id={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
};

const Import = ({ onClose }: { readonly onClose: () => void }) => {
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const toasts = useToasts();
  const act = useAct("POST /api/registry/imports", {
    refresh: ["/api/registry/proposals"],
    quiet: true,
    close: onClose,
    onDone: ({ proposed, unchanged, refused }) =>
      toasts.say("ok", `${proposed.length} proposed, ${unchanged} known already, ${refused.length} left out.`),
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Import servers"
      hint="Entries become proposals. The registry's address must be public, unless the operator allows its network."
      submit="Import"
      act={act}
      onSubmit={() => act.mutate({ body: { url, ...(name.trim() && { name: name.trim() }) } })}
    >
      <Input
        label="Registry"
        hint="Address of a registry, of its list, or of a document."
        type="url"
        required
        placeholder="https://mcp.example.com"
        value={url}
        onValue={setUrl}
      />
      <Input
        label="Name"
        hint="Only servers of this name; * stands for any characters. At most 200 servers are imported at once."
        placeholder="com.example/*"
        maxLength={200}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
};

export default ProposalsScreen;

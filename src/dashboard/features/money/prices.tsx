import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Tag } from "#dashboard/parts/chip";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { usdOf } from "#dashboard/parts/numbers";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";

type Price = ItemOf<"GET /api/prices">;

const REFRESH = ["/api/prices"] as const;

const priced = (value: number | undefined): string => (value === undefined ? "" : usdOf(value));

const COLUMNS: readonly Column<Price>[] = [
  { name: "Model", cell: ({ model }) => <span className="font-medium">{model}</span> },
  { name: "Provider", cell: ({ provider }) => provider ?? "all" },
  { name: "Source", cell: ({ source }) => <Tag>{source}</Tag>, minor: true },
  { name: "Input", align: "right", cell: ({ input }) => priced(input) },
  { name: "Cached", align: "right", cell: ({ cached_input }) => priced(cached_input), minor: true },
  { name: "Cache write", align: "right", cell: ({ cache_write }) => priced(cache_write), minor: true },
  { name: "Output", align: "right", cell: ({ output }) => priced(output) },
];

const ACTIONS: Column<Price> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (price) => price.source === "set" && <PriceActions price={price} />,
};

const PriceActions = ({ price }: { readonly price: Price }) => {
  const [removing, setRemoving] = useState(false);
  const remove = useAct("DELETE /api/prices", {
    refresh: REFRESH,
    done: "Price removed.",
    close: () => setRemoving(false),
  });
  const { model, provider } = price;
  return (
    <>
      <Menu
        label={`Actions for ${model}`}
        items={[{ label: "Remove…", icon: Trash2, danger: true, onSelect: () => setRemoving(true) }]}
      />
      {removing && (
        <Confirm
          onClose={() => setRemoving(false)}
          title="Remove price?"
          submit="Remove"
          act={remove}
          onConfirm={() => remove.mutate({ query: { model, ...(provider !== null && { provider }) } })}
        >
          From the next call on {model} costs what the built-in price list says, or is unpriced.
        </Confirm>
      )}
    </>
  );
};

const amount = (text: string): number | undefined => (text.trim() === "" ? undefined : Number(text));

const SetPrice = ({ onClose }: { readonly onClose: () => void }) => {
  const [given, setGiven] = useState({ model: "", provider: "", input: "", output: "", cached: "", written: "" });
  const set = useAct("PUT /api/prices", { refresh: REFRESH, close: onClose, done: "Price set." });
  const field = (name: keyof typeof given, label: string, hint?: string) => (
    <Input
      label={label}
      {...(hint !== undefined && { hint })}
      value={given[name]}
      onValue={(value) => setGiven({ ...given, [name]: value })}
    />
  );
  const save = () => {
    const [cached_input, cache_write] = [amount(given.cached), amount(given.written)];
    set.mutate({
      body: {
        model: given.model.trim(),
        provider: given.provider.trim() || null,
        input: Number(given.input),
        output: Number(given.output),
        ...(cached_input !== undefined && { cached_input }),
        ...(cache_write !== undefined && { cache_write }),
      },
    });
  };
  const isReady = given.model.trim() !== "" && given.input.trim() !== "" && given.output.trim() !== "";
  return (
    <FormDialog
      onClose={onClose}
      title="Set price"
      hint="US dollars per million tokens."
      submit="Set"
      act={set}
      disabled={!isReady}
      onSubmit={save}
    >
      {field("model", "Model", "A name; * matches any text.")}
      {field("provider", "Provider", "Name of a provider; empty for all.")}
      {field("input", "Input")}
      {field("output", "Output", "0 for embeddings.")}
      {field("cached", "Cached input", "Empty: as input.")}
      {field("written", "Cache write", "Empty: as input.")}
    </FormDialog>
  );
};

const PricesScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/prices", {});
  const add = isAdmin && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Set price
    </Button>
  );
  return (
    <SettingsPage
      title="Prices"
      hint="US dollars per million tokens. They take the place of the built-in price list."
      actions={add}
    >
      <Card flush>
        <Table
          label="Prices"
          list={list}
          columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
          keyOf={({ source, provider, model }) => `${source} ${provider} ${model}`}
          empty={
            <Empty title="No prices set." action={add}>
              The built-in price list is used. Models that it lacks are unpriced.
            </Empty>
          }
        />
      </Card>
      {isAdmin && adding && <SetPrice onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default PricesScreen;

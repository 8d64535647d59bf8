import { useState } from "react";
import { COMMANDS, commandLine } from "#core/command-line";
import { type ItemOf, useAct } from "#dashboard/api/hooks";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, TextArea } from "#dashboard/parts/field";

type Provider = ItemOf<"GET /api/providers">;

const REFRESH = ["/api/providers", "/api/models"] as const;

const USUAL_ORDER = 100;

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

type Fields = {
  readonly name: string;
  readonly url: string;
  readonly models: string;
  readonly order: string;
  readonly key: string;
  readonly dropsKey: boolean;
};

const fieldsOf = (provider: Provider | undefined): Fields => ({
  name: provider?.name ?? "",
  url: provider?.base_url ?? "https://",
  models: provider?.models.join("\n") ?? "",
  order: String(provider?.priority ?? USUAL_ORDER),
  key: "",
  dropsKey: false,
});

/** What is sent: of a provider that is there, the address only where it moves, and the key only where it is touched. */
const bodyOf = ({ name, url, models, order, key, dropsKey }: Fields, isMoved: boolean, isNew: boolean) => {
  const api_key = key === "" ? null : key;
  return {
    name: name.trim(),
    models: wordsOf(models),
    priority: Number(order),
    ...(isNew || isMoved ? { base_url: url.trim() } : {}),
    ...(isNew || isMoved || key !== "" || dropsKey ? { api_key } : {}),
  };
};

/** Adds a provider, or changes one. A key that is kept is never shown, and belongs to its address. */
export const ProviderForm = ({ provider, onClose }: { readonly provider?: Provider; readonly onClose: () => void }) => {
  const [fields, setFields] = useState(() => fieldsOf(provider));
  const done = { refresh: REFRESH, close: onClose };
  const add = useAct("POST /api/providers", { ...done, done: `${fields.name} is added.` });
  const change = useAct("PATCH /api/providers/:id", { ...done, done: `${fields.name} is changed.` });
  const isMoved = provider !== undefined && fields.url !== provider.base_url;
  const save = () => {
    const body = bodyOf(fields, isMoved, provider === undefined);
    if (provider) change.mutate({ params: { id: provider.id }, body });
    else add.mutate({ body: { ...body, base_url: fields.url.trim() } });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={provider ? `Change ${provider.name}` : "Add a provider"}
      hint="Anything that speaks OpenAI's interface: OpenAI, Azure, Mistral, Ollama, vLLM …"
      submit={provider ? "Save" : "Add"}
      act={provider ? change : add}
      onSubmit={save}
    >
      <ProviderFields
        fields={fields}
        set={(changed) => setFields((old) => ({ ...old, ...changed }))}
        provider={provider}
        isMoved={isMoved}
      />
    </FormDialog>
  );
};

const ProviderFields = ({
  fields: { name, url, models, order, key, dropsKey },
  set,
  provider,
  isMoved,
}: {
  readonly fields: Fields;
  readonly set: (changed: Partial<Fields>) => void;
  readonly provider: Provider | undefined;
  readonly isMoved: boolean;
}) => (
  <>
    <Input
      label="Name"
      required
      maxLength={40}
      placeholder="openai"
      value={name}
      onValue={(next) => set({ name: next })}
    />
    <Input
      label="Address"
      hint={`Often ends in /v1. One in a private network is added on the command line: ${commandLine(COMMANDS.addProvider())}.`}
      type="url"
      required
      value={url}
      onValue={(next) => set({ url: next })}
    />
    <TextArea
      label="Models"
      hint="One a line; * stands for anything: gpt-*"
      required
      value={models}
      onValue={(next) => set({ models: next })}
    />
    <Input
      label="API key"
      hint={keyHint(provider, isMoved)}
      type="password"
      autoComplete="new-password"
      value={key}
      onValue={(next) => set({ key: next })}
    />
    {provider?.has_key && !isMoved && key === "" && (
      <Checkbox
        label="Forget the key that is kept"
        checked={dropsKey}
        onValue={(checked) => set({ dropsKey: checked })}
      />
    )}
    <Input
      label="Order"
      hint="Of several that have a model, the lowest goes first."
      type="number"
      min={0}
      max={1_000_000}
      required
      value={order}
      onValue={(next) => set({ order: next })}
    />
  </>
);

const keyHint = (provider: Provider | undefined, isMoved: boolean): string => {
  if (!provider?.has_key) return "Kept encrypted, and never shown again. Empty for a provider that wants none.";
  return isMoved
    ? "The key that is kept was for the old address and goes with it: give the new one's."
    : "One is kept. Empty leaves it as it is.";
};

import { useState } from "react";
import { COMMANDS, commandLine } from "#core/command-line";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { MODEL_APIS } from "#model/model-api";
import {
  type CredentialField,
  type CredentialSource,
  POSSIBLE_APIS,
  PROVIDER_KINDS,
  type ProviderKind,
} from "#model/provider";
import {
  bodyOf,
  draftOf,
  fieldsOf,
  isFixed,
  type ListedProvider,
  ofKind,
  type ProviderDraft,
  patchOf,
  sourcesOf,
} from "./provider-draft";

const REFRESH = ["/api/providers", "/api/models"] as const;

const KINDS: Readonly<Record<ProviderKind, string>> = {
  openai: "OpenAI and compatible",
  anthropic: "Anthropic",
  azure: "Azure OpenAI",
  bedrock: "Amazon Bedrock",
  vertex: "Google Vertex AI",
};

const SOURCES: Readonly<Partial<Record<CredentialSource, string>>> = {
  key: "API key",
  entra: "Microsoft Entra client secret",
  "aws-keys": "AWS access key",
  "service-account": "Service account",
};

const FIELDS: Readonly<Record<CredentialField, string>> = {
  tenant_id: "Tenant ID",
  client_id: "Client ID",
  access_key_id: "Access key ID",
  region: "Region",
  profile: "Profile",
};

const ADDRESSES: Readonly<Record<ProviderKind, string>> = {
  openai: "Often ends in /v1.",
  anthropic: "https://api.anthropic.com",
  azure: "https://RESOURCE.openai.azure.com",
  bedrock: "https://bedrock-runtime.REGION.amazonaws.com",
  vertex: "https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION",
};

/** Adds a provider, or changes one. A key that is kept is never shown, and belongs to its address. */
export const ProviderForm = ({
  provider,
  onClose,
}: {
  readonly provider?: ListedProvider;
  readonly onClose: () => void;
}) => {
  const [draft, setDraft] = useState(() => draftOf(provider));
  const done = { refresh: REFRESH, close: onClose };
  const add = useAct("POST /api/providers", { ...done, done: `${draft.name} added.` });
  const change = useAct("PATCH /api/providers/:id", { ...done, done: `${draft.name} changed.` });
  const save = () => {
    if (provider) change.mutate({ params: { id: provider.id }, body: patchOf(draft, provider) });
    else add.mutate({ body: bodyOf(draft) });
  };
  const parts = {
    draft,
    provider,
    set: (changed: Partial<ProviderDraft>) => setDraft((old) => ({ ...old, ...changed })),
  };
  return (
    <FormDialog
      onClose={onClose}
      title={provider ? `Change ${provider.name}` : "Add provider"}
      hint="Where calls for its models are sent. A call goes only to providers with its API."
      submit={provider ? "Save" : "Add"}
      act={provider ? change : add}
      onSubmit={save}
    >
      <PlaceFields {...parts} />
      <ModelFields {...parts} />
      <CredentialFields {...parts} />
      <Input
        label="Priority"
        hint="The lowest is tried first."
        type="number"
        min={0}
        max={1_000_000}
        required
        value={draft.order}
        onValue={(order) => parts.set({ order })}
      />
    </FormDialog>
  );
};

type PartProps = {
  readonly draft: ProviderDraft;
  readonly provider: ListedProvider | undefined;
  readonly set: (changed: Partial<ProviderDraft>) => void;
};

const PlaceFields = ({ draft, provider, set }: PartProps) => (
  <>
    <Input
      label="Name"
      required
      maxLength={40}
      placeholder="openai"
      value={draft.name}
      onValue={(name) => set({ name })}
    />
    <Select
      label="Kind"
      hint={provider && "To change the kind, remove the provider and add it again."}
      disabled={provider !== undefined}
      value={draft.kind}
      onValue={(kind) => set(ofKind(draft, kind))}
      choices={PROVIDER_KINDS.map((kind) => ({ value: kind, label: KINDS[kind] }))}
    />
    <Input
      label="Base URL"
      hint={`${ADDRESSES[draft.kind]} Providers in private networks are added on the command line: ${commandLine(COMMANDS.addProvider())}.`}
      type="url"
      required
      value={draft.url}
      onValue={(url) => set({ url })}
    />
  </>
);

const ModelFields = ({ draft, set }: PartProps) => (
  <>
    <TextArea
      label="Models"
      hint="One a line; * matches any text: gpt-*"
      required
      value={draft.models}
      onValue={(models) => set({ models })}
    />
    <TextArea
      label="Aliases (optional)"
      hint="One a line, as NAME=UPSTREAM_NAME: the model name of callers, and the provider's own."
      spellCheck={false}
      value={draft.aliases}
      onValue={(aliases) => set({ aliases })}
    />
    <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
      <legend className="mb-1.5 text-[13px] font-medium">APIs</legend>
      {MODEL_APIS.filter((api) => POSSIBLE_APIS[draft.kind].includes(api)).map((api) => (
        <Checkbox
          key={api}
          label={api}
          checked={draft.apis.includes(api)}
          onValue={(checked) =>
            set({ apis: checked ? [...draft.apis, api] : draft.apis.filter((other) => other !== api) })
          }
        />
      ))}
    </fieldset>
  </>
);

const CredentialFields = ({ draft, provider, set }: PartProps) => {
  const isMoved = provider !== undefined && draft.url !== provider.base_url;
  if (isFixed(provider)) {
    return (
      <p className="text-[13px] text-muted">
        The credential comes from the hub's machine ({provider?.credential.source}). It is set on the command line, for
        this base URL.
      </p>
    );
  }
  const sources = sourcesOf(draft.kind);
  return (
    <>
      {sources.length > 1 && (
        <Select
          label="Credential"
          value={draft.source}
          onValue={(source) => set({ source, fields: {} })}
          choices={sources.map((source) => ({ value: source, label: SOURCES[source] ?? source }))}
        />
      )}
      {fieldsOf(draft.source).map((field) => (
        <Input
          key={field}
          label={FIELDS[field]}
          hint={field === "region" ? "Empty if the base URL names it." : undefined}
          required={field !== "region"}
          spellCheck={false}
          value={draft.fields[field] ?? ""}
          onValue={(text) => set({ fields: { ...draft.fields, [field]: text } })}
        />
      ))}
      <KeyField draft={draft} provider={provider} set={set} isMoved={isMoved} />
    </>
  );
};

const KEY_LABELS: Readonly<Partial<Record<CredentialSource, string>>> = {
  entra: "Client secret",
  "aws-keys": "Secret access key",
  "service-account": "JSON key file",
};

const KeyField = ({ draft, provider, set, isMoved }: PartProps & { readonly isMoved: boolean }) => {
  const parts = {
    label: KEY_LABELS[draft.source] ?? "API key",
    hint: keyHint(provider, isMoved),
    value: draft.key,
    onValue: (key: string) => set({ key }),
  };
  return (
    <>
      {draft.source === "service-account" ? (
        <TextArea {...parts} spellCheck={false} autoComplete="off" />
      ) : (
        <Input {...parts} type="password" autoComplete="new-password" />
      )}
      {provider?.has_key && draft.source === "key" && !isMoved && draft.key === "" && (
        <Checkbox label="Delete the stored key" checked={draft.dropsKey} onValue={(dropsKey) => set({ dropsKey })} />
      )}
    </>
  );
};

const keyHint = (provider: ListedProvider | undefined, isMoved: boolean): string => {
  if (!provider?.has_key) return "Stored encrypted, never shown again. Empty if the provider needs none.";
  return isMoved
    ? "The stored key belongs to the old address and is deleted: enter a new one."
    : "A key is stored. Empty keeps it.";
};

import { useState } from "react";
import type { Input as RouteInput } from "#dashboard/api/client";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { CONCERNED, type ToolServerData } from "./tool-server-type";

type Given = NonNullable<RouteInput<"POST /api/tool-servers">["body"]["credentials"]>;
export type CredentialForm = Given["kind"];

type CredentialDraft = {
  readonly kind: CredentialForm;
  readonly headers: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope: string;
};

export const NO_CREDENTIALS: CredentialDraft = {
  kind: "none",
  headers: "",
  client_id: "",
  client_secret: "",
  scope: "",
};

const KINDS: readonly { readonly value: CredentialForm; readonly label: string }[] = [
  { value: "none", label: "None" },
  { value: "headers", label: "Headers, such as an API key" },
  { value: "client_credentials", label: "OAuth client credentials" },
  { value: "authorization_code", label: "Sign in with the browser (OAuth)" },
];

const isKind = (text: string): text is CredentialForm => KINDS.some(({ value }) => value === text);

/** `Name: value` line by line. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const at = line.indexOf(":");
        return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

export const credentialsOf = ({ kind, headers, client_id, client_secret, scope }: CredentialDraft): Given => {
  if (kind === "none") return { kind };
  if (kind === "headers") return { kind, headers: headersOf(headers) };
  if (kind === "client_credentials") return { kind, client_id, client_secret, scope: scope || null };
  return { kind, client_id: client_id || null, client_secret: client_secret || null, scope: scope || null };
};

/** How the hub proves itself to a server. What is typed here is sealed and never shown again. */
export const CredentialFields = ({
  draft,
  onChange,
}: {
  readonly draft: CredentialDraft;
  readonly onChange: (draft: CredentialDraft) => void;
}) => {
  const { kind } = draft;
  const isOptional = kind === "authorization_code";
  return (
    <>
      <Select
        label="Authentication"
        hint="Encrypted with the master key, never shown again, never sent to a caller."
        value={kind}
        onValue={(next) => onChange({ ...draft, kind: next })}
        choices={KINDS}
      />
      {kind === "headers" && (
        <TextArea
          label="Headers"
          hint="One a line, as Authorization: Bearer …"
          required
          spellCheck={false}
          className="font-mono text-[13px]"
          value={draft.headers}
          onValue={(next) => onChange({ ...draft, headers: next })}
        />
      )}
      {(kind === "client_credentials" || isOptional) && (
        <>
          {isOptional && (
            <p className="text-[13px] text-muted">
              You sign in at the server after adding it. Most servers support client registration: leave the rest empty
              unless you were given a client id.
            </p>
          )}
          <Input
            label={isOptional ? "Client ID (optional)" : "Client ID"}
            required={!isOptional}
            spellCheck={false}
            value={draft.client_id}
            onValue={(next) => onChange({ ...draft, client_id: next })}
          />
          <Input
            label={isOptional ? "Client secret (optional)" : "Client secret"}
            type="password"
            autoComplete="new-password"
            required={!isOptional}
            value={draft.client_secret}
            onValue={(next) => onChange({ ...draft, client_secret: next })}
          />
          <Input
            label="Scope (optional)"
            spellCheck={false}
            value={draft.scope}
            onValue={(next) => onChange({ ...draft, scope: next })}
          />
        </>
      )}
    </>
  );
};

export const ChangeCredentials = ({
  server,
  onClose,
}: {
  readonly server: ToolServerData;
  readonly onClose: () => void;
}) => {
  const { kind } = server.credentials;
  const [draft, setDraft] = useState<CredentialDraft>({ ...NO_CREDENTIALS, kind: isKind(kind) ? kind : "none" });
  const change = useAct("PATCH /api/tool-servers/:id", {
    refresh: CONCERNED,
    done: "Credentials changed, in force from the next connection on.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Change credentials"
      hint="The old credentials are deleted."
      submit="Change"
      act={change}
      onSubmit={() => change.mutate({ params: { id: server.id }, body: { credentials: credentialsOf(draft) } })}
    >
      <CredentialFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
};

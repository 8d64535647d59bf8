import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { useMe } from "#dashboard/app/session";
import { HubCommand } from "#dashboard/parts/copy";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { useToasts } from "#dashboard/parts/toast";
import { CredentialFields, credentialsOf, NO_CREDENTIALS } from "./tool-server-credentials";
import { CONCERNED } from "./tool-server-type";

const TRANSPORTS = [
  { value: "streamable-http", label: "Streamable HTTP (usual)" },
  { value: "sse", label: "HTTP with SSE (older servers)" },
] as const;

export const NewToolServer = ({ onClose }: { readonly onClose: () => void }) => {
  const { user } = useMe();
  const navigate = useNavigate();
  const toasts = useToasts();
  const [slug, setSlug] = useState("");
  const [url, setUrl] = useState("");
  const [transport, setTransport] = useState<"streamable-http" | "sse">("streamable-http");
  const [draft, setDraft] = useState(NO_CREDENTIALS);
  const create = useAct("POST /api/tool-servers", {
    refresh: CONCERNED,
    quiet: true,
    onDone: ({ id, ok, problem, tools }) => {
      if (ok) toasts.say("ok", `Connected: ${tools.length} tools.`);
      // A sign-in that is still to come is no surprise.
      else if (draft.kind !== "authorization_code") toasts.say("bad", `Added, but not reachable yet: ${problem}`);
      onClose();
      void navigate({ to: `/tool-servers/${id}` });
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Add tool server"
      hint="The hub connects at once and lists the tools."
      submit="Add"
      act={create}
      onSubmit={() => create.mutate({ body: { slug, url, transport, credentials: credentialsOf(draft) } })}
    >
      <Input
        label="Slug"
        hint={`Prefix of its tools: ${slug || "files"}__read. Lower-case letters, digits and dashes; cannot be changed later.`}
        required
        maxLength={24}
        pattern="[a-z0-9\-]+"
        spellCheck={false}
        value={slug}
        onValue={setSlug}
      />
      <Input label="URL" type="url" required placeholder="https://example.com/mcp" value={url} onValue={setUrl} />
      <Select label="Transport" value={transport} onValue={setTransport} choices={TRANSPORTS} />
      <CredentialFields draft={draft} onChange={setDraft} />
      <details className="rounded-md border border-line px-3 py-2 text-[13px]">
        <summary className="cursor-pointer font-medium">Local process (stdio) instead of a URL?</summary>
        <div className="mt-2 flex flex-col gap-2 text-muted">
          <p>
            A server that speaks over stdin and stdout runs on the hub's own machine, so only its operator may add it,
            on the command line:
          </p>
          <HubCommand words={COMMANDS.addToolProgram(slug || "files", user.email)} />
        </div>
      </details>
    </FormDialog>
  );
};

import { useNavigate } from "@tanstack/react-router";
import { Handshake, KeyRound, LogIn, Power, RefreshCw, Timer, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "#dashboard/parts/button";
import { CodeBlock } from "#dashboard/parts/copy";
import { Confirm, Dialog, DialogEnd, FormDialog } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { ChangeCredentials } from "./tool-server-credentials";
import { ChangeProtocol } from "./tool-server-protocol";
import { CONCERNED, type ToolServerData } from "./tool-server-type";

type Open = "credentials" | "protocol" | "waits" | "remove" | null;

/** What the owner of a server does with it. `test` looks at it now. */
export const ServerActions = ({
  server,
  test,
}: {
  readonly server: ToolServerData;
  readonly test: { readonly isPending: boolean; readonly run: () => void };
}) => {
  const [open, setOpen] = useState<Open>(null);
  const change = useAct("PATCH /api/tool-servers/:id", {
    refresh: CONCERNED,
    done: server.active ? "Tool server disabled: its tools are hidden." : "Tool server enabled.",
  });
  const close = () => setOpen(null);
  return (
    <>
      {server.credentials.kind === "authorization_code" && <SignIn server={server} />}
      <Button icon={RefreshCw} busy={test.isPending} onClick={test.run}>
        Test
      </Button>
      <Menu
        label={`More actions for ${server.slug}`}
        items={[
          {
            label: server.active ? "Disable" : "Enable",
            icon: Power,
            onSelect: () => change.mutate({ params: { id: server.id }, body: { active: !server.active } }),
          },
          server.transport !== "stdio" && {
            label: "Change credentials",
            icon: KeyRound,
            onSelect: () => setOpen("credentials"),
          },
          { label: "Change protocol", icon: Handshake, onSelect: () => setOpen("protocol") },
          { label: "Change time limits", icon: Timer, onSelect: () => setOpen("waits") },
          { label: "Remove", icon: Trash2, danger: true, onSelect: () => setOpen("remove") },
        ]}
      />
      {open === "credentials" && <ChangeCredentials server={server} onClose={close} />}
      {open === "protocol" && <ChangeProtocol server={server} onClose={close} />}
      {open === "waits" && <ChangeWaits server={server} onClose={close} />}
      {open === "remove" && <Remove server={server} onClose={close} />}
    </>
  );
};

/** Asks for the address first: it is valid once, for the user who asked. */
const SignIn = ({ server }: { readonly server: ToolServerData }) => {
  const [url, setUrl] = useState<string | null>(null);
  const begin = useAct("POST /api/tool-servers/:id/authorize", { onDone: (answer) => setUrl(answer.url) });
  return (
    <>
      <Button
        kind="primary"
        icon={LogIn}
        busy={begin.isPending}
        onClick={() => begin.mutate({ params: { id: server.id } })}
      >
        Sign in
      </Button>
      {url !== null && (
        <Dialog
          open
          onClose={() => setUrl(null)}
          title={`Sign in at ${server.slug}`}
          hint="The hub then uses the tool server with this account. The link is valid once."
        >
          <div className="flex flex-col gap-4">
            <p>
              You go to <b>{new URL(url).host}</b>. After the redirect, close that page and test the server.
            </p>
            <CodeBlock label="Sign-in URL" text={url} />
            <DialogEnd onClose={() => setUrl(null)}>
              <a href={url} target="_blank" rel="noreferrer noopener" className={buttonClass("primary")}>
                Open
              </a>
            </DialogEnd>
          </div>
        </Dialog>
      )}
    </>
  );
};

const ChangeWaits = ({ server, onClose }: { readonly server: ToolServerData; readonly onClose: () => void }) => {
  const [callMs, setCallMs] = useState(server.call_ms === null ? "" : `${server.call_ms}`);
  const [listMs, setListMs] = useState(server.list_ms === null ? "" : `${server.list_ms}`);
  const change = useAct("PATCH /api/tool-servers/:id", {
    refresh: CONCERNED,
    done: "Time limits changed.",
    close: onClose,
  });
  const msOf = (text: string): number | null => (text === "" ? null : Number(text));
  return (
    <FormDialog
      onClose={onClose}
      title="Time limits"
      hint="Empty for the settings of the hub."
      submit="Change"
      act={change}
      onSubmit={() =>
        change.mutate({ params: { id: server.id }, body: { call_ms: msOf(callMs), list_ms: msOf(listMs) } })
      }
    >
      <Input label="Idle timeout of a call in milliseconds" type="number" min={1} value={callMs} onValue={setCallMs} />
      <Input
        label="Timeout of listing tools in milliseconds"
        type="number"
        min={1}
        value={listMs}
        onValue={setListMs}
      />
    </FormDialog>
  );
};

const Remove = ({ server, onClose }: { readonly server: ToolServerData; readonly onClose: () => void }) => {
  const navigate = useNavigate();
  const remove = useAct("DELETE /api/tool-servers/:id", {
    done: `${server.slug} removed.`,
    quiet: true,
    refresh: ["/api/map", "/api/inbox"],
    onDone: () => void navigate({ to: "/tool-servers", replace: true }),
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Remove ${server.slug}?`}
      word={server.slug}
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { id: server.id } })}
    >
      <p>
        Deletes its credentials, approvals and assignments; its tools are unavailable from the next request on. To stop
        the server temporarily, disable it.
      </p>
    </Confirm>
  );
};

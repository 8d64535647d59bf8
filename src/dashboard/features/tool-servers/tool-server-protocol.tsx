import { useState } from "react";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { PROTOCOL_VERSIONS } from "#model/tools/tool";
import { CONCERNED, type ToolServerData } from "./tool-server-type";

const CHOICES = [
  { value: "", label: "Agreed on with the server (usual)" },
  ...PROTOCOL_VERSIONS.map((version) => ({ value: version, label: version })),
] as const;

/** How the hub speaks to the server, and where the server may send users. */
export const ChangeProtocol = ({
  server,
  onClose,
}: {
  readonly server: ToolServerData;
  readonly onClose: () => void;
}) => {
  const [protocol, setProtocol] = useState<(typeof CHOICES)[number]["value"]>(server.protocol_pin ?? "");
  const [hosts, setHosts] = useState(server.elicitation_hosts.join(" "));
  const change = useAct("PATCH /api/tool-servers/:id", {
    refresh: CONCERNED,
    done: "Protocol changed.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Protocol"
      submit="Change"
      act={change}
      onSubmit={() =>
        change.mutate({
          params: { id: server.id },
          body: {
            protocol: protocol === "" ? null : protocol,
            elicitation_hosts: hosts.split(/[\s,]+/).filter((host) => host !== ""),
          },
        })
      }
    >
      <Select label="MCP version" value={protocol} onValue={setProtocol} choices={CHOICES} />
      <Input
        label="Hosts whose pages it may ask users to open"
        hint="Beside its own host, e.g. login.example.com *.example.org"
        spellCheck={false}
        value={hosts}
        onValue={setHosts}
      />
    </FormDialog>
  );
};

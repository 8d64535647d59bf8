import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { CONCERNED, type ToolServerData } from "./tool-server-type";

/** Of the registry's schema. */
const MAX_DESCRIPTION = 100;

/** What administrators decide about any server: whether the registry lists it. */
export const Publication = ({ server }: { readonly server: ToolServerData }) => {
  const [isOpen, setOpen] = useState(false);
  const unpublish = useAct("DELETE /api/tool-servers/:id/publication", {
    refresh: CONCERNED,
    done: "Taken out of the registry.",
  });
  const { published } = server;
  return (
    <Card title="Registry">
      <div className="flex flex-col items-start gap-3 p-4">
        <p>
          {published
            ? `Published: “${published.description}”`
            : "Not published. IDEs that read the registry of this hub do not list it."}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen(true)}>{published ? "Change description" : "Publish"}</Button>
          {published && (
            <Button busy={unpublish.isPending} onClick={() => unpublish.mutate({ params: { id: server.id } })}>
              Unpublish
            </Button>
          )}
        </div>
      </div>
      {isOpen && <Publish server={server} onClose={() => setOpen(false)} />}
    </Card>
  );
};

const Publish = ({ server, onClose }: { readonly server: ToolServerData; readonly onClose: () => void }) => {
  const [description, setDescription] = useState(server.published?.description ?? "");
  const publish = useAct("PUT /api/tool-servers/:id/publication", {
    refresh: CONCERNED,
    done: `${server.slug} is published.`,
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Publish ${server.slug}`}
      hint="Name and description can be read by anybody who reaches the hub, while tool_gateway.registry is on. Nobody is given access."
      submit="Publish"
      act={publish}
      onSubmit={() => publish.mutate({ params: { id: server.id }, body: { description } })}
    >
      <Input label="Description" maxLength={MAX_DESCRIPTION} required value={description} onValue={setDescription} />
    </FormDialog>
  );
};

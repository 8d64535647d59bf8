import { Eye, RotateCcw } from "lucide-react";
import { useState } from "react";
import { Facts } from "#dashboard/parts/card";
import { CodeBlock, Id } from "#dashboard/parts/copy";
import { Dialog, DialogEnd } from "#dashboard/parts/dialog";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Time } from "#dashboard/parts/time";

type Delivery = ItemOf<"GET /api/webhooks/:id/deliveries">;

/** One message: looked at, or sent once more. */
export const DeliveryActions = ({ delivery }: { readonly delivery: Delivery }) => {
  const [open, setOpen] = useState(false);
  const replay = useAct("POST /api/webhooks/deliveries/:did/replay", {
    refresh: ["/api/webhooks"],
    done: "Delivery queued again.",
  });
  return (
    <>
      <Menu
        label={`Actions for ${delivery.type}`}
        items={[
          { label: "View", icon: Eye, onSelect: () => setOpen(true) },
          { label: "Replay", icon: RotateCcw, onSelect: () => replay.mutate({ params: { did: delivery.id } }) },
        ]}
      />
      {open && <DeliveryDialog delivery={delivery} onClose={() => setOpen(false)} />}
    </>
  );
};

const DeliveryDialog = ({ delivery, onClose }: { readonly delivery: Delivery; readonly onClose: () => void }) => {
  const id = <Id value={delivery.event_id} />;
  return (
    <Dialog open wide onClose={onClose} title={delivery.type}>
      <div className="flex flex-col gap-4">
        <Facts rows={[["webhook-id", id]]} />
        <CodeBlock label="Payload" text={JSON.stringify(delivery.payload, null, 2)} />
        <ol className="flex flex-col gap-1">
          {delivery.attempts.map(({ at, status, error, ms }) => (
            <li key={at}>
              <Time at={at} plain />: {error ?? `answered ${status}`}, after {Math.round(ms)} ms
            </li>
          ))}
        </ol>
        <DialogEnd onClose={onClose} />
      </div>
    </Dialog>
  );
};

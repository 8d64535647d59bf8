import { BellOff, Eye } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Dialog, DialogEnd } from "#dashboard/parts/dialog";
import { type ItemOf, useGet } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { SilenceForm } from "./alert-silences";

type Alert = ItemOf<"GET /api/alerts">;

export const AlertActions = ({ alert }: { readonly alert: Alert }) => {
  const [doing, setDoing] = useState<"view" | "silence" | null>(null);
  const isAdmin = useHasRole("admin");
  const close = () => setDoing(null);
  return (
    <>
      <Menu
        label={`Actions for ${alert.rule}`}
        items={[
          { label: "View", icon: Eye, onSelect: () => setDoing("view") },
          isAdmin &&
            alert.state === "firing" && { label: "Silence…", icon: BellOff, onSelect: () => setDoing("silence") },
        ]}
      />
      {doing === "view" && <AlertDialog alert={alert} onClose={close} />}
      {doing === "silence" && <SilenceForm alert={alert} onClose={close} />}
    </>
  );
};

/** When it was what, and what each destination was told. */
const AlertDialog = ({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) => {
  const detail = useGet("GET /api/alerts/:id", { params: { id: alert.id } });
  const id = <Id value={alert.id} />;
  const [since, fired, resolved] = [alert.since, alert.fired_at, alert.resolved_at].map((at) => (
    <Time key={at} at={at} plain />
  ));
  return (
    <Dialog open wide onClose={onClose} title={alert.rule}>
      <div className="flex flex-col gap-4">
        <p>{alert.text}</p>
        <Facts
          rows={[
            ["Severity", alert.severity],
            ["About", alert.label],
            ["Since", since],
            ["Fired", fired],
            ...(alert.resolved_at === null ? [] : [["Resolved", resolved] as const]),
            ["ID", id],
          ]}
        />
        <h3 className="font-semibold">Sent to</h3>
        <Await query={detail}>
          {({ notices }) =>
            notices.length === 0 ? (
              <p className="text-muted">{alert.silenced ? "Nobody: it is silenced." : "Nobody yet."}</p>
            ) : (
              <ul className="flex flex-col gap-2">
                {notices.map((notice) => (
                  <li key={notice.destination_id}>
                    <span className="font-medium">{notice.destination}</span> ({notice.kind}){" "}
                    <StateChip of={notice.state} />
                    {notice.attempts.map(({ at, event, status, error }) => (
                      <span key={at} className="block text-[13px] text-muted">
                        <Time at={at} plain />: {event}, {error ?? `answered ${status}`}
                      </span>
                    ))}
                  </li>
                ))}
              </ul>
            )
          }
        </Await>
        <DialogEnd onClose={onClose} />
      </div>
    </Dialog>
  );
};

import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Menu } from "#dashboard/parts/menu";
import { ApplyDialog, DecideDialog, RejectDialog, RequestDialog } from "./tuning-dialogs";
import { EditDialog } from "./tuning-edit";
import type { OpenSuggestion } from "./tuning-words";

type Act = "request" | "approve" | "deny" | "apply" | "edit" | "reject";
type State = OpenSuggestion["status"];

/** From which states each can be done; the hub has the same table, and the last word. */
const FROM: Readonly<Record<Act, readonly State[]>> = {
  request: ["proposed", "stale", "expired"],
  approve: ["pending_approval"],
  deny: ["pending_approval", "approved"],
  apply: ["approved"],
  edit: ["proposed", "pending_approval", "approved", "stale", "expired"],
  reject: ["proposed", "pending_approval", "approved", "stale", "expired"],
};
const FREELY: readonly State[] = ["proposed", "pending_approval", "approved"];

const mayDo = (act: Act, it: OpenSuggestion): boolean => {
  if (act === "approve" || act === "deny") return FROM[act].includes(it.status) && it.deciding?.allowed === true;
  if (!it.handling) return false;
  if (act === "apply") return (it.effect === "tighten" ? FREELY : FROM.apply).includes(it.status);
  if (act === "edit" && it.change.op === "amend") return false;
  if (act === "request" && it.effect === "tighten") return it.status !== "proposed" && FROM.request.includes(it.status);
  return FROM[act].includes(it.status);
};

/** What this person may do with it now. Each opens a dialog: nothing is decided by a single key. */
export const TuningActions = ({ it }: { readonly it: OpenSuggestion }) => {
  const [act, setAct] = useState<Act | null>(null);
  const onClose = () => setAct(null);
  const may = (one: Act) => mayDo(one, it);
  const rest = (["edit", "reject"] as const).filter(may);
  return (
    <>
      {may("deny") && (
        <Button kind="danger" data-shortcut="d" aria-keyshortcuts="d" onClick={() => setAct("deny")}>
          {it.status === "approved" ? "Withdraw approval" : "Deny"}
        </Button>
      )}
      {may("approve") && (
        <Button kind="primary" data-shortcut="a" aria-keyshortcuts="a" onClick={() => setAct("approve")}>
          Approve
        </Button>
      )}
      {may("request") && (
        <Button kind="primary" onClick={() => setAct("request")}>
          {it.status === "proposed" ? "Request approval" : "Request approval again"}
        </Button>
      )}
      {may("apply") && (
        <Button kind="primary" onClick={() => setAct("apply")}>
          Apply
        </Button>
      )}
      {rest.length > 0 && (
        <Menu
          label="More actions"
          items={rest.map((one) => ({
            label: one === "edit" ? "Edit" : "Reject",
            danger: one === "reject",
            onSelect: () => setAct(one),
          }))}
        />
      )}
      {act === "request" && <RequestDialog it={it} onClose={onClose} />}
      {(act === "approve" || act === "deny") && <DecideDialog it={it} decision={act} onClose={onClose} />}
      {act === "apply" && <ApplyDialog it={it} onClose={onClose} />}
      {act === "edit" && <EditDialog it={it} onClose={onClose} />}
      {act === "reject" && <RejectDialog it={it} onClose={onClose} />}
    </>
  );
};

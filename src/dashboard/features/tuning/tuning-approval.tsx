import { Card, Facts } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { numberOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";
import { BLOCKING, type OpenSuggestion } from "./tuning-words";

/** Where its approval stands: who asked, who could and did approve, and what is missing. */
export const TuningApprovalCard = ({ it }: { readonly it: OpenSuggestion }) => {
  const { approval, approval_status: status, effect, deciding, rejected } = it;
  const given = status.approvals.filter(({ decision, counts }) => decision === "approve" && counts).length;
  return (
    <Card title="Approval">
      {effect === "tighten" && <p className="mb-3 text-muted">The change tightens: no approval required.</p>}
      {approval ? (
        <Facts
          rows={[
            [
              "Requested",
              <span key="asked">
                by {approval.requested_by}, <Time at={approval.requested_at} />
                {approval.note && <span className="block break-words text-muted">{approval.note}</span>}
              </span>,
            ],
            ["Approvals", `${numberOf(given)} of ${numberOf(status.required)}`],
            [
              "Eligible",
              status.eligible_people.length > 0
                ? status.eligible_people.join(", ")
                : "nobody: an administrator decides alone, with a reason",
            ],
            ["Approved until", status.expires_at && <Time key="until" at={status.expires_at} />],
          ]}
        />
      ) : (
        effect === "loosen" && <p className="text-muted">Approval not requested.</p>
      )}
      {status.approvals.length > 0 && (
        <ul className="mt-3 flex flex-col gap-2">
          {status.approvals.map(({ by, decision, comment, alone, at, counts }) => (
            <li key={`${by} ${at}`} className="border-t border-line pt-2">
              <p className="flex flex-wrap items-center gap-2">
                <Chip tone={decision === "approve" ? "ok" : "bad"}>
                  {decision === "approve" ? "approved" : "denied"}
                </Chip>
                {alone && <Chip tone="warn">sole approver</Chip>}
                {decision === "approve" && !counts && <Chip>outdated</Chip>}
                <span>
                  {by}, <Time at={at} />
                </span>
              </p>
              {comment && <p className="break-words text-muted">{comment}</p>}
            </li>
          ))}
        </ul>
      )}
      {rejected && (
        <p className="mt-3 break-words">
          Rejected by {rejected.by}: {rejected.reason}
          {rejected.comment && <span className="block text-muted">{rejected.comment}</span>}
        </p>
      )}
      {status.blocking.length > 0 && !["applied", "reverted", "rejected"].includes(status.status) && (
        <section className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <h3 className="font-medium">Blocking requirements</h3>
          <ul className="list-disc pl-5">
            {status.blocking.map((code) => (
              <li key={code}>{BLOCKING[code] ?? code}</li>
            ))}
          </ul>
        </section>
      )}
      {status.status === "pending_approval" && deciding && !deciding.allowed && (
        <p className="mt-3 text-muted">You cannot decide: {deciding.why}</p>
      )}
    </Card>
  );
};

import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { SigningSecret } from "#dashboard/parts/secret-once";
import { EVENTS } from "#model/event";

type Webhook = ItemOf<"GET /api/webhooks">;

const REFRESH = ["/api/webhooks"] as const;

const familyOf = (type: string): string => type.slice(0, type.indexOf("."));

/** `report` with `report.created` and its like, and what they say. */
const FAMILIES: readonly (readonly [family: string, types: readonly (readonly [type: string, what: string])[]])[] =
  Object.entries(Object.groupBy(Object.entries(EVENTS), ([type]) => familyOf(type)))
    .map(([family, types = []]) => [family, types.filter(([type]) => type !== "webhook.test")] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));

/** Adds a webhook, whose secret is shown this once, or changes one. */
export const WebhookForm = ({ webhook, onClose }: { readonly webhook?: Webhook; readonly onClose: () => void }) => {
  const [url, setUrl] = useState(webhook?.url ?? "https://");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ["killswitch.*", "restriction.*"]);
  const [made, setMade] = useState<AnswerTo<"POST /api/webhooks"> | null>(null);
  const add = useAct("POST /api/webhooks", { refresh: REFRESH, quiet: true, onDone: setMade });
  const change = useAct("PATCH /api/webhooks/:id", { refresh: REFRESH, close: onClose, done: "Saved." });
  if (made) return <SigningSecret secret={made.secret} onClose={onClose} />;
  const save = () => {
    const body = { url: url.trim(), events: [...events], description: description.trim() || null };
    if (webhook) change.mutate({ params: { id: webhook.id }, body });
    else add.mutate({ body });
  };
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={webhook ? "Edit webhook" : "Add webhook"}
      submit={webhook ? "Save" : "Add"}
      act={webhook ? change : add}
      disabled={events.length === 0}
      onSubmit={save}
    >
      <Input label="URL" type="url" required value={url} onValue={setUrl} />
      <Input label="Description" maxLength={256} value={description} onValue={setDescription} />
      <EventChoice chosen={events} onChange={setEvents} />
    </FormDialog>
  );
};

const EventChoice = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}) => {
  const all = chosen.includes("*");
  const toggle = (pattern: string, on: boolean, instead: readonly string[] = []) =>
    onChange([...chosen.filter((one) => one !== pattern && !instead.includes(one)), ...(on ? [pattern] : [])]);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-[13px] font-medium">Events</legend>
      <Checkbox label="All events (incl. future)" checked={all} onValue={(checked) => onChange(checked ? ["*"] : [])} />
      {!all && (
        <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
          {FAMILIES.map(([family, types]) => {
            const pattern = `${family}.*`;
            const whole = chosen.includes(pattern);
            const names = types.map(([type]) => type);
            const some = chosen.filter((one) => names.includes(one)).length;
            return (
              <li key={family} className="px-3 py-2">
                <Checkbox
                  label={<span className="font-mono text-[13px]">{pattern}</span>}
                  checked={whole}
                  onValue={(checked) => toggle(pattern, checked, names)}
                />
                {!whole && types.length > 1 && (
                  <details className="mt-1 pl-6" open={some > 0}>
                    <summary className="cursor-pointer text-[13px] text-muted">
                      {some > 0 ? `${some} of ${types.length}` : `Select… (${types.length})`}
                    </summary>
                    <div className="mt-1 flex flex-col gap-1.5">
                      {types.map(([type, what]) => (
                        <Checkbox
                          key={type}
                          label={<span className="font-mono text-[13px]">{type}</span>}
                          hint={what}
                          checked={chosen.includes(type)}
                          onValue={(checked) => toggle(type, checked)}
                        />
                      ))}
                    </div>
                  </details>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </fieldset>
  );
};

import { Activity, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Facts } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { Confirm, Dialog, DialogEnd } from "#dashboard/parts/dialog";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { spanOf } from "#dashboard/parts/time";
import { ProviderForm } from "./provider-form";

type Provider = ItemOf<"GET /api/providers">;
type Check = AnswerTo<"POST /api/providers/:id/test">;

/** What administrators do about a provider. */
export const ProviderActions = ({ provider }: { readonly provider: Provider }) => {
  const [doing, setDoing] = useState<"change" | "remove" | null>(null);
  const [check, setCheck] = useState<Check | null>(null);
  const test = useAct("POST /api/providers/:id/test", { onDone: setCheck });
  const close = () => setDoing(null);
  return (
    <span className="inline-flex items-center gap-1">
      <Button small icon={Activity} busy={test.isPending} onClick={() => test.mutate({ params: { id: provider.id } })}>
        Test
      </Button>
      <Menu
        label={`Actions for ${provider.name}`}
        items={[
          { label: "Change…", icon: Pencil, onSelect: () => setDoing("change") },
          { label: "Remove…", icon: Trash2, danger: true, onSelect: () => setDoing("remove") },
        ]}
      />
      {check && <CheckResult name={provider.name} check={check} onClose={() => setCheck(null)} />}
      {doing === "change" && <ProviderForm provider={provider} onClose={close} />}
      {doing === "remove" && <RemoveProvider provider={provider} onClose={close} />}
    </span>
  );
};

const CheckResult = ({
  name,
  check,
  onClose,
}: {
  readonly name: string;
  readonly check: Check;
  readonly onClose: () => void;
}) => (
  <Dialog
    open
    onClose={onClose}
    title={`Test of ${name}`}
    hint="Got the credential, listed the models where the provider does, and sent an empty request by each API."
  >
    <div className="flex flex-col gap-4">
      <Facts
        rows={[
          ["Result", resultOf(check)],
          ["Problem", check.problem],
          ["Status", check.status],
          ["Duration", spanOf(check.ms)],
          [
            "Models",
            check.models.length === 0
              ? null
              : `${check.models.length} listed, ${check.served.length} match the patterns`,
          ],
        ]}
      />
      <ul className="flex flex-col gap-1 text-[13px]">
        {check.apis.map(({ api, ok, status, problem }) => (
          <li key={api} className="flex flex-wrap items-center gap-2">
            <Chip tone={ok ? "ok" : "bad"}>{api}</Chip>
            <span className="text-muted">{problem ?? `answered ${status ?? "nothing"}`}</span>
          </li>
        ))}
      </ul>
      {check.served.length > 0 && (
        <div className="flex max-h-48 flex-wrap gap-1 overflow-y-auto">
          {check.served.map((model) => (
            <Tag key={model}>{model}</Tag>
          ))}
        </div>
      )}
      <DialogEnd onClose={onClose} />
    </div>
  </Dialog>
);

const resultOf = ({ ok }: Check) => (ok ? <Chip tone="ok">reachable</Chip> : <Chip tone="bad">failed</Chip>);

const RemoveProvider = ({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }) => {
  const remove = useAct("DELETE /api/providers/:id", {
    refresh: ["/api/providers"],
    done: `${provider.name} removed.`,
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Remove ${provider.name}?`}
      word={provider.name}
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { id: provider.id } })}
    >
      The stored key is deleted. Calls go to another provider with a matching model, or are refused.
    </Confirm>
  );
};

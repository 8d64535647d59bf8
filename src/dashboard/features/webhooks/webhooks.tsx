import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { COMMANDS } from "#core/command-line";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { WebhookForm } from "./webhook-form";

type Webhook = ItemOf<"GET /api/webhooks">;

/** Whether it is sent to, and how that goes. */
export const WebhookState = ({ of: { active, disabled_reason, failing_since } }: { readonly of: Webhook }) => {
  if (!active) return <Chip tone={disabled_reason ? "bad" : "idle"}>{disabled_reason ? "disabled" : "paused"}</Chip>;
  return failing_since ? <Chip tone="warn">failing</Chip> : <Chip tone="ok">active</Chip>;
};

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: "URL",
    cell: ({ id, url, description }) => (
      <>
        <Link to={`/settings/webhooks/${id}`} className="block font-medium break-all hover:underline">
          {url}
        </Link>
        {description && <span className="block text-[13px] text-muted">{description}</span>}
      </>
    ),
  },
  {
    name: "Events",
    cell: ({ events }) => (
      <span className="flex max-w-md flex-wrap gap-1">
        {events.slice(0, 4).map((event) => (
          <Tag key={event}>{event}</Tag>
        ))}
        {events.length > 4 && <span className="text-[13px] text-muted">and {events.length - 4} more</span>}
      </span>
    ),
    minor: true,
  },
  { name: "State", cell: (item) => <WebhookState of={item} /> },
  { name: "Added", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
];

const WebhooksScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const list = useList("GET /api/webhooks", {});
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  );
  return (
    <SettingsPage title="Webhooks" hint="Send signed event notifications, with ids and without content." actions={add}>
      <Card flush>
        <Table
          label="Webhooks"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/settings/webhooks/${id}`}
          empty={
            <Empty title="No webhooks yet." command={<HubCommand words={COMMANDS.addWebhook()} />} action={add}>
              Send events to your own receiver, such as a SIEM.
            </Empty>
          }
        />
      </Card>
      {adding && <WebhookForm onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default WebhooksScreen;

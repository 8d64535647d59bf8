import { useParams } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useEffect } from "react";
import { Button } from "#dashboard/parts/button";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { type ItemOf, useAct, useGet, useList, useRefresh } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { WebhookActions } from "./webhook-actions";
import { DeliveryActions } from "./webhook-delivery";
import { WebhookState } from "./webhooks";

type Webhook = ItemOf<"GET /api/webhooks">;
type Delivery = ItemOf<"GET /api/webhooks/:id/deliveries">;

const LOOK_MS = 2_000;

const lastOf = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  return last ? (last.error ?? `answered ${last.status}`) : "not sent yet";
};

const COLUMNS: readonly Column<Delivery>[] = [
  { name: "Event", cell: ({ type }) => <Tag>{type}</Tag> },
  { name: "State", cell: ({ state }) => <StateChip of={state} /> },
  { name: "Last attempt", cell: lastOf, minor: true },
  { name: "Attempts", cell: ({ attempts }) => attempts.length, align: "right" },
  { name: "Next", cell: ({ next_at }) => (next_at ? <Time at={next_at} /> : ""), minor: true },
  { name: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { name: "Actions", hidden: true, align: "right", cell: (item) => <DeliveryActions delivery={item} /> },
];

const WebhookScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const webhook = useGet("GET /api/webhooks/:id", { params: { id } });
  return (
    <Await query={webhook}>
      {(data) => (
        <Page
          title={data.description ?? new URL(data.url).host}
          above={<TextLink to="/settings/webhooks">Webhooks</TextLink>}
          chips={<WebhookState of={data} />}
          actions={<Actions webhook={data} />}
        >
          <Card>
            <RouteDoc webhook={data} />
          </Card>
          <Deliveries id={id} />
        </Page>
      )}
    </Await>
  );
};

const Actions = ({ webhook }: { readonly webhook: Webhook }) => {
  const test = useAct("POST /api/webhooks/:id/test", {
    refresh: ["/api/webhooks"],
    done: "Test event sent.",
  });
  return (
    <>
      <Button icon={Send} busy={test.isPending} onClick={() => test.mutate({ params: { id: webhook.id } })}>
        Send test event
      </Button>
      <WebhookActions webhook={webhook} />
    </>
  );
};

const RouteDoc = ({ webhook }: { readonly webhook: Webhook }) => {
  const events = (
    <span className="flex flex-wrap gap-1">
      {webhook.events.map((event) => (
        <Tag key={event}>{event}</Tag>
      ))}
    </span>
  );
  const id = <Id value={webhook.id} />;
  const since = <Time at={webhook.created_at} />;
  const failing = <Time at={webhook.failing_since} />;
  return (
    <Facts
      rows={[
        ["URL", webhook.url],
        ["Events", events],
        ...(webhook.disabled_reason ? [["Disabled", webhook.disabled_reason] as const] : []),
        ...(webhook.failing_since ? [["Failing since", failing] as const] : []),
        ["Added", since],
        ["ID", id],
      ]}
    />
  );
};

const Deliveries = ({ id }: { readonly id: string }) => {
  const list = useList("GET /api/webhooks/:id/deliveries", { params: { id } });
  const refresh = useRefresh();
  const isWaiting = list.items.some(({ state, attempts }) => state === "pending" && attempts.length === 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again while something is on its way
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void refresh("/api/webhooks"), LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <Card
      flush
      title="Deliveries"
      hint="Newest first. Failed deliveries are retried with increasing delays for about three days."
    >
      <Table
        label="Deliveries"
        list={list}
        columns={COLUMNS}
        keyOf={(item) => item.id}
        empty={<Empty title="No deliveries yet.">Send test event to check the receiver.</Empty>}
      />
    </Card>
  );
};

export default WebhookScreen;

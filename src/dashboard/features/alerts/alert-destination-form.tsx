import { useState } from "react";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { SecretDialog } from "#dashboard/parts/secret-once";
import type { MAIL_SECURITY } from "#model/alert";

type Destination = ItemOf<"GET /api/alert-destinations">;
type Kind = Destination["kind"];

const REFRESH = ["/api/alert-destinations"] as const;

const KINDS = [
  { value: "slack", label: "Slack" },
  { value: "teams", label: "Microsoft Teams" },
  { value: "pagerduty", label: "PagerDuty" },
  { value: "email", label: "E-mail" },
  { value: "webhook", label: "Webhook" },
] as const;

const SECURITY = [
  { value: "starttls", label: "STARTTLS" },
  { value: "tls", label: "TLS" },
  { value: "none", label: "None" },
] as const;

/** Where the URL of each comes from. */
const URL_HINTS: Readonly<Partial<Record<Kind, string>>> = {
  slack: "Of an incoming webhook: https://hooks.slack.com/services/…",
  teams: "Of a workflow that starts when a Teams webhook request is received.",
  webhook: "Receives signed JSON (Standard Webhooks).",
};

const KEPT = "Leave empty to keep it.";

/** Adds a destination, or changes one; what is sealed is not shown. */
export const AlertDestinationForm = ({
  destination,
  onClose,
}: {
  readonly destination?: Destination;
  readonly onClose: () => void;
}) => {
  const [kind, setKind] = useState<Kind>(destination?.kind ?? "slack");
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({
    name: destination?.name ?? "",
    host: destination?.kind === "email" ? destination.host : "",
    port: String(destination?.port ?? ""),
    username: destination?.username ?? "",
    from: destination?.from ?? "",
    to: destination?.to.join(", ") ?? "",
  });
  const [security, setSecurity] = useState<(typeof MAIL_SECURITY)[number]>(destination?.security ?? "starttls");
  const [secret, setSecret] = useState<string | null>(null);
  const add = useAct("POST /api/alert-destinations", {
    refresh: REFRESH,
    quiet: true,
    onDone: (made) => (made.secret === null ? onClose() : setSecret(made.secret)),
  });
  const change = useAct("PATCH /api/alert-destinations/:id", { refresh: REFRESH, close: onClose, done: "Saved." });
  const textOf = (name: string): string => (typed[name] ?? "").trim();
  const field = (name: string) => ({
    value: typed[name] ?? "",
    onValue: (text: string) => setTyped((before) => ({ ...before, [name]: text })),
  });
  if (secret !== null) {
    return (
      <SecretDialog
        title="Signing secret"
        onClose={onClose}
        label="Secret"
        secret={secret}
        note="Copy the secret now: it cannot be shown again. Receivers verify signatures with it (Standard Webhooks)."
      />
    );
  }
  const given = (name: string) => (textOf(name) === "" ? {} : { [name]: textOf(name) });
  const mail = {
    ...given("host"),
    ...(textOf("port") !== "" && { port: Number(textOf("port")) }),
    security,
    ...given("username"),
    ...given("password"),
    ...given("from"),
    to: textOf("to")
      .split(/[\s,;]+/)
      .filter(Boolean),
  };
  const reached = kind === "email" ? mail : { ...given("url"), ...given("routing_key") };
  const save = () => {
    const body = { name: textOf("name"), ...reached };
    if (destination) change.mutate({ params: { id: destination.id }, body });
    else add.mutate({ body: { ...body, kind } });
  };
  const kept = destination ? KEPT : undefined;
  return (
    <FormDialog
      onClose={onClose}
      title={destination ? "Edit destination" : "Add destination"}
      submit={destination ? "Save" : "Add"}
      act={destination ? change : add}
      disabled={textOf("name") === ""}
      onSubmit={save}
    >
      {!destination && <Select label="Kind" value={kind} onValue={setKind} choices={KINDS} />}
      <Input label="Name" required maxLength={100} {...field("name")} />
      {kind === "pagerduty" && (
        <Input
          label="Integration key"
          hint={kept ?? "Of an Events API v2 integration of the service."}
          type="password"
          required={!destination}
          {...field("routing_key")}
        />
      )}
      {kind === "email" ? (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Input label="SMTP server" required {...field("host")} />
            <Input
              label="Port"
              inputMode="numeric"
              placeholder={security === "tls" ? "465" : "587"}
              {...field("port")}
            />
            <Select label="Encryption" value={security} onValue={setSecurity} choices={SECURITY} />
            <Input label="User name" {...field("username")} />
          </div>
          <Input label="Password" hint={kept} type="password" {...field("password")} />
          <Input label="From" type="email" required {...field("from")} />
          <Input label="To" hint="Addresses, with commas between." required {...field("to")} />
        </>
      ) : (
        kind !== "pagerduty" && (
          <Input label="URL" hint={kept ?? URL_HINTS[kind]} type="url" required={!destination} {...field("url")} />
        )
      )}
    </FormDialog>
  );
};

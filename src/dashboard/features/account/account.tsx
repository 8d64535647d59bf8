import { useState } from "react";
import { messageOf } from "#dashboard/api/client";
import { useMe } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card, Facts } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Empty, Wrong } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";

type Session = ItemOf<"GET /api/me/sessions">;

const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** `Firefox on Linux`, as far as the browser says. */
const browserOf = (agent: string): string => {
  const found = (all: typeof BROWSERS) => all.find(([sign]) => sign.test(agent))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  return browser ? `${browser}${system ? ` on ${system}` : ""}` : agent.slice(0, 60);
};

const COLUMNS: readonly Column<Session>[] = [
  {
    name: "Session",
    cell: ({ kind, user_agent, current }) => (
      <span className="inline-flex flex-wrap items-center gap-2" title={user_agent ?? undefined}>
        {kind === "key" ? "Session key from the command line" : browserOf(user_agent ?? "a browser")}
        {current && <Chip tone="ok">current</Chip>}
      </span>
    ),
  },
  { name: "Address", cell: ({ ip_address }) => ip_address ?? <span className="text-muted">none</span>, minor: true },
  { name: "Started", cell: ({ created_at }) => <Time at={created_at} /> },
  { name: "Expires", cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
  { name: "Actions", hidden: true, align: "right", cell: (item) => !item.current && <EndSession session={item} /> },
];

const AccountScreen = () => {
  const { user } = useMe();
  const sessions = useList("GET /api/me/sessions", {});
  const role = <Tag>{user.role}</Tag>;
  const since = <Time at={user.created_at} />;
  return (
    <SettingsPage title="Your account">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Profile">
          <Facts
            rows={[
              ["E-mail", user.email],
              ["Name", user.name],
              ["Role", role],
              ["Since", since],
            ]}
          />
        </Card>
        <Card title="Password" hint="Changing the password ends all your sessions except this browser.">
          <PasswordForm />
        </Card>
      </div>
      <Card flush title="Sessions" hint="Your browsers and session keys.">
        <Table
          label="Sessions"
          list={sessions}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<Empty title="No sessions." />}
        />
      </Card>
    </SettingsPage>
  );
};

const MIN_PASSWORD_LENGTH = 12;

const PasswordForm = () => {
  const { user } = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const change = useAct("POST /api/me/password", {
    refresh: ["/api/me"],
    done: "Password changed; all other sessions ended.",
    quiet: true,
    onDone: () => {
      setCurrent("");
      setNext("");
      setAgain("");
    },
  });
  const differs = again !== "" && again !== next;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (next === again) change.mutate({ body: { current_password: current, new_password: next } });
      }}
    >
      {/* Password managers want to know whose it is. */}
      <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
      <Input
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onValue={setCurrent}
      />
      <Input
        label="New password"
        hint={`${MIN_PASSWORD_LENGTH} characters or more.`}
        type="password"
        autoComplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        required
        value={next}
        onValue={setNext}
      />
      <Input
        label="Repeat new password"
        type="password"
        autoComplete="new-password"
        required
        error={differs ? "The passwords differ." : null}
        value={again}
        onValue={setAgain}
      />
      {change.error && <Wrong>{messageOf(change.error)}</Wrong>}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-[13px] text-muted">Forgotten? An administrator can create a new invitation.</span>
        <Button type="submit" kind="primary" busy={change.isPending} disabled={differs}>
          Change password
        </Button>
      </div>
    </form>
  );
};

const EndSession = ({ session }: { readonly session: Session }) => {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const end = useAct("DELETE /api/me/sessions/:id", {
    refresh: ["/api/me/sessions"],
    done: "Session ended.",
    close,
  });
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        End…
      </Button>
      {asking && (
        <Confirm
          onClose={close}
          title="End session?"
          submit="End session"
          act={end}
          onConfirm={() => end.mutate({ params: { id: session.id } })}
        >
          {session.kind === "key" ? "Programs that use this key lose access." : "The browser must sign in again."} If
          you do not recognise this session, change your password, too.
        </Confirm>
      )}
    </>
  );
};

export default AccountScreen;

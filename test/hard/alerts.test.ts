import { expect, setDefaultTimeout, test } from "bun:test";
import { lockForServing, openDataDirectory } from "#platform/data-directory";
import { until } from "#test/flow/restricted-world";
import { Hub } from "#test/support/hub";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { Worker } from "./worker";

/* Alerts where several processes, and several hubs, serve: one of them measures and tells, whichever lives. */

setDefaultTimeout(180_000);

const ADA = "ada@example.com";
const ENV = { GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8", GUARDHOUSE_ALERTS__EVERY_SECONDS: "1" };

const textsOf = ({ received }: WebhookReceiver): string[] => received.map(({ body }) => JSON.parse(body).text);
/** Of what is told, what it is: which processes there are is told one by one. */
const countsOf = (receiver: WebhookReceiver): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of textsOf(receiver)) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};
/** Fires as long as it is there: there is no backup. */
const OLD_BACKUP = ["alert", "set", "backup-age", "--threshold", "0", "--for", "0", "--resolve-after", "0"] as const;

const addDestination = async (hub: Hub, receiver: WebhookReceiver): Promise<void> => {
  const added = await hub.cliWith(
    { stdin: receiver.url },
    ...["alert", "add", "slack", "--name", "chat", "--secret-file", "-"],
  );
  if (added.code !== 0) throw new Error(added.stderr);
};

test("alerts of three processes are told once, and go on when the one that measures is killed", async () => {
  verifies("alert.once");
  await using receiver = new WebhookReceiver();
  await using hub = await Hub.create({ env: ENV });
  await hub.createAdmin(ADA, "--random-password");
  const { token } = await hub.createToken(ADA);
  await hub.cli("alert", "set", "loop-delay", "--disable");
  await addDestination(hub, receiver);
  const lock = lockForServing(openDataDirectory(hub.dataDir));
  using _lock = { [Symbol.dispose]: () => lock.release() };
  const workers = ["0", "1", "2"].map((id) => new Worker(hub.dataDir, id, ENV));
  await Promise.all(workers.map((one) => one.ready()));
  expect(await Promise.all(workers.map((one) => one.ask(token)))).toEqual([200, 200, 200]);
  await hub.cli(...OLD_BACKUP);
  await until(() => receiver.received.length === 1);
  const [firing = ""] = textsOf(receiver);
  expect(firing).toContain("Firing: The newest backup is old");
  // Each may be the one that measures; the last goes on alone.
  const [first, second, last] = workers;
  await first?.end("SIGKILL");
  await second?.end("SIGKILL");
  expect(await last?.ask(token)).toBe(200);
  await hub.cli("alert", "set", "backup-age", "--disable");
  // One that was killed in its first seconds counts as alive until its lease of a start ends, a minute later.
  await until(() => textsOf(receiver).some((text) => text.startsWith("Resolved: ")), 90_000);
  // What it is about is the directory, whichever process says it.
  expect(textsOf(receiver).map((text) => text.split(":")[0])).toEqual(["Firing", "Resolved"]);
  await last?.end("SIGTERM");
});

onPostgres("alerts of two hubs on one database", () => {
  const cluster = sharedCluster();

  test("are told once, of the figures of both", async () => {
    verifies("alert.once");
    const databases = await cluster();
    const url = databases.url(await databases.database());
    const env = {
      ...ENV,
      GUARDHOUSE_DATABASE__URL: url,
      GUARDHOUSE_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
      GUARDHOUSE_ADMIN_EMAIL: ADA,
      GUARDHOUSE_ADMIN_PASSWORD: "correct horse battery",
    };
    await using receiver = new WebhookReceiver();
    await using one = await Hub.started({ env });
    await using other = await Hub.started({ env });
    await one.cli("alert", "set", "loop-delay", "--disable");
    await addDestination(one, receiver);
    await other.cli(...OLD_BACKUP);
    // Each has a data directory, and no backup in it.
    await until(() => receiver.received.length === 2);
    expect(textsOf(receiver).every((text) => text.startsWith("Firing: "))).toBe(true);
    expect(Object.values(countsOf(receiver))).toEqual([1, 1]);
    const listed = Object((await other.cli("alert", "list")).json());
    expect(listed.alerts).toHaveLength(2);
    await one.cli("alert", "set", "backup-age", "--disable");
    await until(() => receiver.received.length === 4);
    expect(Object.values(countsOf(receiver))).toEqual([1, 1, 1, 1]);
  });
});

import { expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ReviewWorld } from "./review-world";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

test("settings by role, without secrets", async () => {
  verifies("settings.shown");
  await using world = await ReviewWorld.open({ env: { GUARDHOUSE_MASTER_KEY: MASTER_KEY } });
  const { json } = await world.as("auditor", "GET", "/settings");
  expect(json).toMatchObject({
    ...{ object: "settings", public_url: world.hub.url, version: "0.1.0", guard_mode: "enforce" },
    ...{
      audit_retention_days: 400,
      keep_blocked_hours: 24,
      reviewer_model: null,
      password_sign_in: true,
      sign_in_provider: null,
    },
  });
  expect(json.storage.database_bytes).toBeGreaterThan(0);
  expect(json.storage.disk_free_bytes).toBeGreaterThan(0);
  expect(Date.parse(json.started_at)).toBeLessThanOrEqual(Date.now());
  const settings = new Map(json.configuration.map((it: { key: string }) => [it.key, it]));
  expect(settings.get("master_key")).toMatchObject({
    value: "********",
    origin: "GUARDHOUSE_MASTER_KEY",
    secret: true,
  });
  expect(settings.get("audit.retention_days")).toMatchObject({ value: 400, origin: "default", default: 400 });
  expect(JSON.stringify(json)).not.toContain(MASTER_KEY);

  const { json: less } = await world.as("owner", "GET", "/settings");
  expect(less).toMatchObject({ public_url: world.hub.url, version: "0.1.0", audit_retention_days: 400 });
  expect([less.storage, less.configuration, less.listen, less.started_at]).toEqual([null, null, null, null]);
  expect(JSON.stringify(less)).not.toContain(json.storage.data_dir);

  const { json: doctor } = await world.as("root", "GET", "/doctor");
  expect(doctor).toMatchObject({ object: "doctor", ok: true });
  const names = doctor.checks.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["permissions", "disk", "sqlite", "audit log", "clock", "master key", "providers"]),
  );
  expect((await world.as("owner", "GET", "/doctor")).status).toBe(403);
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";
import { ReviewWorld } from "./review-world";

const DAY = 86_400_000;
const PER_DAY = 4_000;
const LONG_MS = 180_000;

test(
  "those who look after the hub are told how it fills the disk, and for how long that goes on",
  async () => {
    verifies("settings.storage");
    await using world = await ReviewWorld.open();
    await world.hub.kill("SIGTERM");
    const began = Date.now();
    const file = join(world.hub.dataDir, "guardhouse.db");
    const bytes = statSync(file).size;
    const db = new Database(file, { readwrite: true, create: false });
    // The hub writes meanwhile.
    db.run("PRAGMA busy_timeout = 5000");
    const add = db.query("INSERT INTO storage_sample VALUES (?, ?, 7, 0, 900000000)");
    for (let ago = 100; ago >= 1; ago -= 1) add.run(began - ago * DAY, Math.max(0, bytes - ago * PER_DAY));
    // A clock that ran ahead.
    add.run(began + 400 * DAY, 1);
    db.close();
    await world.hub.start();

    const read = async () => (await world.as("auditor", "GET", "/storage")).json;
    // What is too old, and what lies in the future, goes at the start; today's sample is there, or comes.
    const history = await world.eventually(async () => {
      const it = await read();
      const [first, last] = [Date.parse(it.samples[0]?.at), Date.parse(it.samples.at(-1)?.at)];
      return first > began - 91 * DAY && last > began - DAY / 2 && last < began + DAY ? it : null;
    });
    expect(history).toMatchObject({ object: "storage_history", every_hours: 6 });
    expect(history.trend.measured_days).toBeWithin(27, 29);
    expect(history.samples.length).toBeWithin(90, 93);
    expect(history.now.database_bytes).toBeGreaterThan(0);
    expect(history.now.disk_free_bytes).toBeGreaterThan(0);
    expect(history.trend.bytes_per_day).toBeWithin(PER_DAY / 2, PER_DAY * 4);
    expect(history.trend.days_left).toBe(Math.floor(history.now.disk_free_bytes / history.trend.bytes_per_day));

    const agent = await world.agent("owner");
    await world.chat("owner", agent, "guardhouse/echo");
    const indexed = async () => {
      await world.as("owner", "GET", "/calls");
      const { now } = await read();
      return now.index_bytes > 0 ? now : null;
    };
    expect((await world.eventually(indexed)).index_bytes).toBeLessThan(history.now.database_bytes);
    expect((await world.as("owner", "GET", "/storage")).status).toBe(403);
  },
  LONG_MS,
);

import { expect, setDefaultTimeout, test } from "bun:test";
import { linkHash } from "#store/audit-link";
import { beside } from "#test/support/database";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

type Row = { readonly seq: number; readonly body: string; readonly prev_hash: string };

test("a log that was rewritten without its key is found: hashes recomputed, checkpoints from there on taken away", async () => {
  verifies("audit.signed");
  await using hub = await Hub.create();
  for (const name of ["ann", "bob", "eve"]) await hub.createUser(`${name}@example.com`);
  const { token } = await hub.createToken("eve@example.com");
  await hub.start();
  for (let n = 0; n < 5; n += 1) {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: `Hello ${n}` }] };
    await (await hub.fetch("/v1/chat/completions", { token, json })).text();
  }
  await hub.kill("SIGTERM");
  expect((await hub.cli("audit", "verify")).code).toBe(0);
  beside(hub, (db) => {
    const month = db.query<{ name: string }, []>("SELECT name FROM audit_partition").get()?.name;
    db.run(`UPDATE ${month} SET body = replace(body, '"outcome":"answered"', '"outcome":"refused"') WHERE seq = 6`);
    const rows = db.query<Row, []>(`SELECT seq, body, prev_hash FROM ${month} WHERE seq >= 6 ORDER BY seq`).all();
    let prev = rows[0]?.prev_hash ?? "";
    for (const { seq, body } of rows) {
      const hash = linkHash(prev, seq, body);
      db.query(`UPDATE ${month} SET prev_hash = ?, hash = ? WHERE seq = ?`).run(prev, hash, seq);
      prev = hash;
    }
    db.run("DELETE FROM audit_checkpoint WHERE seq >= 6");
  });
  const { code, stdout } = await hub.cli("audit", "verify");
  expect([code, JSON.parse(stdout).ok]).toEqual([8, false]);
  expect((await hub.cli("doctor")).code).not.toBe(0);
});

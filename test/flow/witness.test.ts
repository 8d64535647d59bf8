import { expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { treeRoot } from "#store/tlog/merkle";
import { readKey, readNote } from "#store/tlog/note";
import { subtreeRootsOf } from "#store/tlog/tile";
import { eventually } from "#test/support/eventually";
import { Hub } from "#test/support/hub";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

/** `guardhouse witness` as a process of its own. */
class RunningWitness implements AsyncDisposable {
  private constructor(
    private readonly child: Bun.Subprocess<"ignore", "pipe", "inherit">,
    readonly key: string,
    readonly url: string,
  ) {}

  static async started(home: string, name: string): Promise<RunningWitness> {
    const child = Bun.spawn(
      [
        ...command(),
        "witness",
        "--json",
        "--logs",
        join(home, "log.key"),
        "--name",
        name,
        "--dir",
        join(home, name),
        "--listen",
        "127.0.0.1:0",
      ],
      {
        cwd: home,
        env: { PATH: process.env["PATH"] ?? "", HOME: home },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    let said = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (said.trimEnd().endsWith("}")) break;
    }
    const { key, url } = JSON.parse(said);
    return new RunningWitness(child, key, url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM");
    expect(await this.child.exited).toBe(0);
  }
}

test("a hub's witnesses sign its checkpoints, proofs carry it, and one that was set back gets no signature", async () => {
  verifies("proofs.witness");
  const home = await mkdtemp(join(tmpdir(), "guardhouse-witness-"));
  const config = join(home, "hub.toml");
  await writeFile(config, "[audit]\npublish = true\n");
  await using hub = await Hub.create({ env: { GUARDHOUSE_CONFIG: config } });
  await hub.createUser("eve@example.com");
  const { key } = Object((await hub.cli("audit", "key")).json());
  await writeFile(join(home, "log.key"), `${key}\n`);
  await using one = await RunningWitness.started(home, "w1.example.com");
  await using two = await RunningWitness.started(home, "w2.example.com");
  const named = [one, two].map((witness) => `[[audit.witnesses]]\nurl = "${witness.url}"\nkey = "${witness.key}"\n`);
  await writeFile(config, `[audit]\npublish = true\n${named.join("")}`);
  await hub.start();

  // Everybody can read what was signed, and compute it again from the tiles.
  const published = async () => readNote(await (await hub.fetch("/audit/log/checkpoint")).text());
  const signers = async () => (await published()).signatures.map(({ name }) => name);
  const all = [readKey(key).name, "w1.example.com", "w2.example.com"];
  await eventually(signers, all);
  const checkpoint = readCheckpoint((await published()).text);
  const tile = await hub.fetch(`/audit/log/tile/0/000.p/${checkpoint.size}`);
  const hashes = await tile.bytes();
  expect(tile.headers.get("cache-control")).toContain("immutable");
  expect(
    treeRoot(
      checkpoint.size,
      subtreeRootsOf(() => hashes),
    ).toHex(),
  ).toBe(checkpoint.root.toHex());
  for (const path of [
    "tile/0/000",
    "tile/0/001.p/1",
    "tile/entries/000",
    `tile/0/000.p/${checkpoint.size + 1}`,
    "../log/checkpoint2",
  ])
    expect([path, (await hub.fetch(`/audit/log/${path}`)).status]).toEqual([path, 404]);

  // A proof says who has signed, and a policy may ask for both.
  const first = Object((await hub.cli("audit", "tail")).json()).at(-1);
  const proof = join(home, "first.tlog-proof");
  const trust = join(home, "policy");
  await writeFile(proof, Object((await hub.cli("audit", "prove", first.id)).json()).proof);
  const policy = `log ${key}\nwitness one ${one.key}\nwitness two ${two.key}\ngroup both all one two\nquorum both\n`;
  await writeFile(trust, policy);
  const shown = Object((await hub.cli("audit", "check", proof, "--key", trust)).json());
  expect(shown.ok).toBe(true);
  expect(shown.witnesses.map((it: { name: string }) => it.name)).toEqual(["w1.example.com", "w2.example.com"]);

  // Set back to a copy, the log goes on otherwise: the witnesses do not sign.
  await hub.kill("SIGTERM");
  const copy = join(home, "copy");
  await cp(hub.dataDir, copy, { recursive: true });
  await hub.start();
  await hub.createUser("sam@example.com");
  // A stop is signed, and witnesses are asked when the hub is back.
  await hub.restart();
  const [sam] = Object((await hub.cli("audit", "tail", "--kind", "user.create", "-n", "1")).json());
  const isCovered = async () => readCheckpoint((await published()).text).size >= sam.seq;
  await eventually(async () => [await isCovered(), ...(await signers())], [true, ...all]);
  await hub.kill("SIGTERM");
  await rm(hub.dataDir, { recursive: true });
  await cp(copy, hub.dataDir, { recursive: true });
  await hub.start();
  const refused = await hub.log("audit.witness");
  expect(refused).toMatchObject({ state: "conflict" });
  await rm(home, { recursive: true, force: true });
});

test("nothing of the log is shown unless it is published", async () => {
  verifies("proofs.published");
  await using hub = await Hub.started();
  for (const path of ["/audit/log/checkpoint", "/audit/log/tile/0/000.p/1"])
    expect((await hub.fetch(path)).status).toBe(404);
});

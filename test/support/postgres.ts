import { afterAll, describe, setDefaultTimeout } from "bun:test";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { anyPort } from "#test/support/port";
import { recordSkipped } from "#test/support/verified";

/** The check of everything installs one, and sets this so that these tests cannot go missing unseen. */
const IS_REQUIRED = process.env.POSTGRES_REQUIRED === "1";
const DEBIAN = "/usr/lib/postgresql";
const PATIENCE_MS = 60_000;
const SUPERUSER = "guardhouse";

/** The folder of PostgreSQL's programs: Debian's newest, or that of the path; null where there is none. */
const programs = (): string | null => {
  for (const version of debianVersions()) {
    const folder = join(DEBIAN, version, "bin");
    if (Bun.which("initdb", { PATH: folder }) !== null) return folder;
  }
  const found = Bun.which("initdb");
  return found === null ? null : dirname(found);
};

const debianVersions = (): string[] => {
  try {
    return readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
  } catch {
    return [];
  }
};

const FOLDER = programs();
export const IS_THERE_POSTGRES = FOLDER !== null;

/** A group of tests on a real PostgreSQL: skipped on a machine that has none, unless one is required. */
export const onPostgres = (name: string, tests: () => void): void => {
  const isSkipped = FOLDER === null && !IS_REQUIRED;
  const reason = isSkipped ? " (skipped: there is no PostgreSQL; apt-get install postgresql)" : "";
  if (isSkipped) recordSkipped(`tests on PostgreSQL${reason}`);
  setDefaultTimeout(240_000);
  describe.skipIf(isSkipped)(`${name}${reason}`, tests);
};

type User = { readonly uid: number; readonly gid: number };

/** PostgreSQL refuses to run as root: there it runs as the user that Debian makes for it, or as nobody. */
const unprivileged = (): User | null => {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const wanted of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${wanted}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL cannot run as root, and there is no user postgres or nobody");
};

/** A PostgreSQL in a folder of its own, for one test file. It does not wait for the disk. */
export class Cluster implements AsyncDisposable {
  readonly #port = anyPort();
  readonly #user = unprivileged();
  #server: Bun.Subprocess | null = null;
  #databases = 0;
  /** The runner may end without its hooks. */
  readonly #atExit = (): void => void this.#server?.kill("SIGKILL");

  private constructor(
    private readonly folder: string,
    private readonly place: string,
  ) {
    process.on("exit", this.#atExit);
  }

  static async start(): Promise<Cluster> {
    if (FOLDER === null) throw new Error("There is no PostgreSQL: install postgresql");
    const cluster = new Cluster(FOLDER, mkdtempSync(join(tmpdir(), "guardhouse-pg-")));
    try {
      if (cluster.#user !== null) chownSync(cluster.place, cluster.#user.uid, cluster.#user.gid);
      await cluster.#make();
      await cluster.begin();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get port(): number {
    return this.#port.port;
  }

  /** Of its first process, which starts one for each connection. */
  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  url(database = "postgres", port = this.port): string {
    return `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`;
  }

  /** A new database, a copy of `template` if there is one; its name. */
  async database(template = "template0"): Promise<string> {
    const name = `test_${++this.#databases}`;
    const sql = new Bun.SQL({ url: this.url(), max: 1 });
    try {
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    } finally {
      await sql.close();
    }
    return name;
  }

  /** Begins to serve, and waits until it does. */
  async begin(): Promise<void> {
    const options = { fsync: "off", max_connections: "300", dynamic_shared_memory_type: "mmap" };
    const settings = Object.entries({ ...options, unix_socket_directories: this.place, listen_addresses: "127.0.0.1" });
    const args = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#server = this.#spawn("postgres", ["-D", join(this.place, "data"), "-p", String(this.port), ...args]);
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await this.#answers())) {
      if (Date.now() > deadline || this.#server.exitCode !== null) throw new Error("PostgreSQL did not start");
      await Bun.sleep(20);
    }
  }

  /** `immediate` as a crash would, without telling anybody. */
  async end(how: "fast" | "immediate" = "fast"): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await server?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off("exit", this.#atExit);
    await this.end("immediate");
    this.#port[Symbol.dispose]();
    rmSync(this.place, { recursive: true, force: true });
  }

  async #make(): Promise<void> {
    const args = ["-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    const made = this.#spawn("initdb", ["-D", join(this.place, "data"), ...args]);
    if ((await made.exited) !== 0) throw new Error("initdb failed");
  }

  async #answers(): Promise<boolean> {
    const asked = this.#spawn("pg_isready", ["-q", "-h", "127.0.0.1", "-p", String(this.port)]);
    return (await asked.exited) === 0;
  }

  #spawn(program: string, args: readonly string[]): Bun.Subprocess {
    const as = this.#user === null ? [] : ["setpriv", `--reuid=${this.#user.uid}`, `--regid=${this.#user.gid}`];
    const command = [...as, ...(as.length === 0 ? [] : ["--clear-groups", "--"]), join(this.folder, program), ...args];
    return Bun.spawn(command, { cwd: this.place, stdio: ["ignore", "ignore", "ignore"] });
  }
}

/** The cluster of the test file, started when it is first asked for. Within `onPostgres`. */
export const sharedCluster = (): (() => Promise<Cluster>) => {
  let starting: Promise<Cluster> | null = null;
  afterAll(async () => {
    const cluster = await starting;
    await cluster?.[Symbol.asyncDispose]();
  });
  return () => {
    starting ??= Cluster.start();
    return starting;
  };
};

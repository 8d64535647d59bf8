import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* What a simulation builds for itself: an executable of another commit, and a clock that is wrong. */

const ROOT = join(import.meta.dir, "../../..");
const SHIM = join(import.meta.dir, "clock-skew.c");

const run = async (command: readonly string[], cwd: string): Promise<void> => {
  const child = Bun.spawn([...command], { cwd, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr.slice(-500)}`);
};

/** The executable of another commit of this repository, built in a worktree that goes with it. */
export class OtherBuild implements AsyncDisposable {
  private constructor(
    private readonly place: string,
    readonly executable: string,
  ) {}

  static async of(commit: string): Promise<OtherBuild> {
    const place = mkdtempSync(join(tmpdir(), "guardhouse-build-"));
    const source = join(place, "source");
    await run(["git", "worktree", "add", "--detach", source, commit], ROOT);
    const build = new OtherBuild(place, join(source, "dist/guardhouse"));
    try {
      await run([process.execPath, "install", "--frozen-lockfile"], source);
      await run([process.execPath, "run", "build"], source);
      return build;
    } catch (error) {
      await build[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(["git", "worktree", "remove", "--force", join(this.place, "source")], ROOT);
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** A library that moves the wall clock of who loads it. */
export class WrongClock implements Disposable {
  private constructor(private readonly place: string) {}

  /** Null where it cannot be built: it takes Linux and a C compiler. */
  static async build(): Promise<WrongClock | null> {
    if (process.platform !== "linux" || Bun.which("cc") === null) return null;
    const clock = new WrongClock(mkdtempSync(join(tmpdir(), "guardhouse-clock-")));
    await run(["cc", "-shared", "-fPIC", "-O1", "-o", clock.library, SHIM, "-ldl"], clock.place);
    if (!existsSync(clock.library)) throw new Error("the compiler made no library");
    return clock;
  }

  /** For the environment of a process. */
  by(seconds: number): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.library, CLOCK_SKEW_SECONDS: `${seconds}` };
  }

  [Symbol.dispose](): void {
    rmSync(this.place, { recursive: true, force: true });
  }

  private get library(): string {
    return join(this.place, "clock-skew.so");
  }
}

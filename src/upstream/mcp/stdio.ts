import { basename } from "node:path";
import { parseExactInTurns } from "#core/json/json-reader";
import type { Log } from "#platform/log";
import { slices } from "#platform/slices";
import { ToolFailure, withoutValues } from "#upstream/tool-port";
import { RpcPeer } from "./peer";
import { PeerSession } from "./peer-session";
import { type PeerConnection, PeerUpstream } from "./peer-upstream";
import type { TransportOptions } from "./port";
import { StdioProcess } from "./stdio-process";

const FIRST_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A process that was well for so long starts with a clean record. */
const HEALTH_MS = 60_000;

/** How long a program that keeps ending is left alone before it is started again. */
export class Backoff {
  private failures = 0;
  private until = 0;

  constructor(private readonly now: () => number) {}

  /** Milliseconds until the next start; 0 when it may be now. */
  waitMs(): number {
    return Math.max(0, this.until - this.now());
  }

  /** It ended after `healthyMs` of service. */
  failed(healthyMs: number): void {
    this.failures = healthyMs >= HEALTH_MS ? 1 : this.failures + 1;
    // The exponent is held down: 2 to the power of a week of failures is no number.
    this.until = this.now() + Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** Math.min(this.failures - 1, 10));
  }
}

/** All that a server's process is given of the hub's environment: everything else may hold secrets. */
export const STDIO_ENVIRONMENT = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"] as const;

export type StdioOptions = TransportOptions & {
  /** Program and arguments. Only operators may set them, since they run code here. */
  readonly command: readonly string[];
  /** Where notes of running processes are kept, see `sweepOrphans`. */
  readonly pidDirectory: string;
  readonly serverId: string;
  readonly log: Log;
  readonly now: () => number;
  /** Its own variables, beside those; asked for at each start. Throws `ToolFailure`. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** The hub's own; only `STDIO_ENVIRONMENT` is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** A server that is a child process and speaks over its standard streams. */
export class StdioUpstream extends PeerUpstream {
  private readonly backoff: Backoff;
  private lastFailure = "";
  private lastServerText: string | null = null;

  constructor(private readonly options: StdioOptions) {
    super(options.slug);
    this.backoff = new Backoff(options.now);
  }

  protected async open(closing: AbortSignal): Promise<PeerConnection> {
    const waitMs = this.backoff.waitMs();
    if (waitMs > 0) {
      const when = `It can be started again in ${Math.ceil(waitMs)} ms.`;
      throw new ToolFailure("unreachable", `${this.lastFailure} ${when}`, false, undefined, this.lastServerText);
    }
    const run = this.start();
    const { slug, limits } = this.options;
    const late = `${slug} did not answer the handshake within ${limits.handshakeMs} ms. Its program may still be installing itself: try again, or raise tool_gateway.handshake_ms.`;
    const deadline = setTimeout(() => run.fail(new ToolFailure("timeout", late, false)), limits.handshakeMs);
    const leave = () => run.fail(closed(slug));
    closing.addEventListener("abort", leave, { once: true });
    try {
      const session = await PeerSession.begin(run.peer, this.options);
      run.isHealthy();
      return {
        session,
        get isOpen() {
          return run.peer.isOpen;
        },
        close: () => {
          run.peer.close(closed(slug));
          return run.process.stop();
        },
      };
    } catch (error) {
      run.fail(error instanceof ToolFailure ? error : new ToolFailure("garbage", `${slug} cannot be used.`, false));
      throw error;
    } finally {
      clearTimeout(deadline);
      closing.removeEventListener("abort", leave);
    }
  }

  /** A process and our end of the conversation with it, tied together: what ends one ends the other. */
  private start() {
    const { slug, log, now, serverId } = this.options;
    let notJson = 0;
    let healthySince: number | null = null;
    const down = (broken: ToolFailure) => {
      if (!peer.isOpen) return;
      const failure = broken.withServerText(withoutValues(child.stderrText, Object.values(variables)));
      this.failed(failure, healthySince === null ? 0 : now() - healthySince);
      peer.close(failure);
    };
    const fail = (failure: ToolFailure) => {
      down(failure);
      child.kill();
    };
    const receive = (value: unknown, size: number) => {
      if (value === undefined) notJson += 1;
      else peer.receive(value, size);
    };
    const onLine = (line: string): Promise<void> | null => {
      const value = parseExactInTurns(line, () => slices.turn());
      if (value instanceof Promise) return value.then((read) => receive(read, line.length));
      receive(value, line.length);
      return null;
    };
    const variables = this.variables();
    const child = this.spawn(variables, onLine, fail);
    const peer = new RpcPeer(slug, child);
    const program = basename(this.options.command[0] ?? "");
    log.info("stdio.started", { server_id: serverId, program, pid: child.pid });
    child.ended.then(({ exitCode, signal }) => {
      log.info("stdio.ended", { server_id: serverId, program, exit_code: exitCode, signal, lines_not_json: notJson });
      const how = signal === null ? `ended with code ${exitCode}` : `was ended by ${signal}`;
      down(new ToolFailure("unreachable", `The process of ${slug} ${how}.`, true));
    });
    const isHealthy = () => {
      child.discardStderr();
      healthySince = now();
    };
    return { peer, process: child, fail, isHealthy };
  }

  /** The server's own variables. Throws `ToolFailure`. */
  private variables(): Readonly<Record<string, string>> {
    try {
      return this.options.variables();
    } catch (error) {
      if (error instanceof ToolFailure) this.failed(error, 0);
      throw error;
    }
  }

  private spawn(
    variables: Readonly<Record<string, string>>,
    onLine: (line: string) => Promise<void> | null,
    onBroken: (failure: ToolFailure) => void,
  ): StdioProcess {
    const { limits } = this.options;
    const longestLine = limits.resultBytes;
    try {
      const environment = { ...this.environment(), ...variables };
      return StdioProcess.start({ ...this.options, environment, longestLine, onLine, onBroken });
    } catch (error) {
      if (error instanceof ToolFailure) this.failed(error, 0);
      throw error;
    }
  }

  private environment(): Record<string, string> {
    const environment: Record<string, string> = {};
    for (const name of STDIO_ENVIRONMENT) {
      const value = this.options.environment[name];
      if (value !== undefined) environment[name] = value;
    }
    return environment;
  }

  private failed({ message, serverText }: ToolFailure, healthyMs: number): void {
    this.lastFailure = message;
    this.lastServerText = serverText;
    this.backoff.failed(healthyMs);
  }
}

const closed = (slug: string): ToolFailure =>
  new ToolFailure("unreachable", `The connection to ${slug} was closed.`, true);

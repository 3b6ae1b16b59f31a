import { type Caller, partitionOfCaller, userIdOf } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { type PresentSession, toPresence } from "./presence.ts";
import { toSession } from "./store.ts";

/** The work kind that signals a change of presence. */
export const PRESENCE_CHANGE = "presence";

/** Polling detects expired presence, and all changes if listening is impossible. */
const POLL_MS = 5_000;
const READ = `
  select p.workspace_id, p.environment, p.thing, p.user_id, p.session_id, p.name, p.state, p.place, p.since
    from unnest($1::uuid[], $2::text[]) as f (workspace_id, environment)
    join presence p on p.workspace_id = f.workspace_id and p.environment::text = f.environment
   where p.expires_at > $3
   order by p.thing, p.since, p.user_id, p.session_id`;

type Row = Parameters<typeof toSession>[0] & {
  readonly workspace_id: string;
  readonly environment: string;
};

interface Followed {
  readonly partition: Partition;
  readonly listeners: Set<() => void>;
  byThing: ReadonlyMap<string, readonly PresentSession[]>;
  text: string;
}

/** Presence in the partitions followed in this process, loaded by one query. */
export class PresenceWatch {
  readonly #platform: Platform;
  readonly #followed = new Map<string, Followed>();
  #loop: Loop | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Follows the resources of one caller from now on. */
  follow(caller: Caller, listener: () => void): PresenceFollower {
    const partition = partitionOfCaller(caller);
    const key = toKey(partition.workspace, partition.environment);
    const followed = this.#followed.get(key) ?? newFollowed(partition);
    this.#followed.set(key, followed);
    followed.listeners.add(listener);
    this.#start();
    const viewer = { userId: userIdOf(caller), sessionId: caller.credential?.id ?? "" };
    return new PresenceFollower(followed, viewer, () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0) this.#followed.delete(key);
      if (this.#followed.size === 0) this.#stop();
    });
  }

  #start(): void {
    if (this.#loop) return this.#loop.wake();
    const { log, wakeSignal } = this.#platform;
    this.#loop = new Loop(
      () => this.#read(),
      (error) => log.error({ err: error }, "can't read presence"),
    );
    this.#unsubscribe = wakeSignal.subscribe((work) => {
      if (work === PRESENCE_CHANGE) this.#loop?.wake();
    });
  }

  #stop(): void {
    this.#unsubscribe();
    void this.#loop?.stop();
    this.#loop = undefined;
  }

  async #read(): Promise<LoopNext> {
    const all = [...this.#followed.values()];
    const rows = await this.#platform.db.system<Row>(READ, [
      all.map(({ partition }) => partition.workspace),
      all.map(({ partition }) => partition.environment),
      this.#platform.clock.now(),
    ]);
    const byPartition = Map.groupBy(rows, (row) => toKey(row.workspace_id, row.environment));
    for (const followed of all) {
      const { workspace, environment } = followed.partition;
      const sessions = (byPartition.get(toKey(workspace, environment)) ?? []).map(toSession);
      const text = JSON.stringify(sessions);
      if (text === followed.text) continue;
      followed.text = text;
      followed.byThing = Map.groupBy(sessions, ({ thing }) => thing);
      for (const listener of followed.listeners) listener();
    }
    return POLL_MS;
  }
}

type Viewer = Pick<PresentSession, "userId" | "sessionId">;

/**
 * Presence changes for one session: only of the resources it is present at, whose read access was checked when it
 * joined and at every renewal. Another session or token of the same user may have less access.
 */
export class PresenceFollower {
  readonly close: () => void;
  readonly #followed: Followed;
  readonly #viewer: Viewer;
  readonly #sent = new Map<string, string>();

  constructor(followed: Followed, viewer: Viewer, close: () => void) {
    this.#followed = followed;
    this.#viewer = viewer;
    this.close = close;
  }

  /** Stream frames for the changes since the last call. They have no id, because they are not in the log. */
  takeFrames(): string[] {
    const frames: string[] = [];
    const own = new Set<string>();
    const { userId: viewerId, sessionId: viewedBy } = this.#viewer;
    for (const [thing, sessions] of this.#followed.byThing) {
      if (!sessions.some((one) => one.userId === viewerId && one.sessionId === viewedBy)) continue;
      own.add(thing);
      const data = JSON.stringify(toPresence(thing, sessions, viewerId));
      if (this.#sent.get(thing) === data) continue;
      this.#sent.set(thing, data);
      frames.push(`event: presence.changed\ndata: ${data}\n\n`);
    }
    for (const thing of this.#sent.keys()) if (!own.has(thing)) this.#sent.delete(thing);
    return frames;
  }
}

const watches = new WeakMap<Platform, PresenceWatch>();

/** The watch of this process. */
export function presenceWatchOf(platform: Platform): PresenceWatch {
  let watch = watches.get(platform);
  if (!watch) watches.set(platform, (watch = new PresenceWatch(platform)));
  return watch;
}

function newFollowed(partition: Partition): Followed {
  return { partition, listeners: new Set(), byThing: new Map(), text: "" };
}

function toKey(workspace: string, environment: string): string {
  return `${workspace} ${environment}`;
}

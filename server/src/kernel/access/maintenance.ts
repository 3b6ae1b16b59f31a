import type { Database } from "../db/database.ts";
import { Failure, failure } from "../operation/failure.ts";
import type { CommitFeed } from "../readers/commit-feed.ts";
import type { Caller } from "./caller.ts";

export const InMaintenance = failure(
  "maintenance",
  503,
  "The installation is in maintenance mode. Reads work; changes are rejected until maintenance ends.",
);

export const WorkspacePaused = failure(
  "workspace_paused",
  409,
  "This workspace was imported and is paused. It is read-only until an operator activates it.",
);

const RETRY_AFTER_SECONDS = "60";
const TOPIC = "audit";
const EVENTS = "audit.maintenance.";
const WORKSPACE_EVENTS = "audit.workspace.";

/** The fields of an operation that decide whether maintenance blocks it. */
interface MaintainedOperation {
  readonly kind: "command" | "query";
  readonly allowInMaintenance?: boolean;
  readonly operatorsOnly?: boolean;
}

/** The current maintenance. */
export interface MaintenanceState {
  readonly message: string;
  readonly since: string;
}

/**
 * The maintenance mode of the installation. Only operators can change data by requests. Background work (runs,
 * deliveries, e-mails) continues, so nothing in progress is lost.
 */
export class Maintenance {
  readonly #db: Database;
  #state: MaintenanceState | null = null;
  /** Keys of workspaces that were imported but not activated. */
  #paused: ReadonlySet<string> = new Set();

  constructor(db: Database, commitFeed: CommitFeed, onError: (error: unknown) => void) {
    this.#db = db;
    commitFeed.subscribe([TOPIC], ({ type }) => {
      if (type.startsWith(EVENTS) || type.startsWith(WORKSPACE_EVENTS)) this.load().catch(onError);
    });
  }

  /** Null if maintenance mode is off. */
  get state(): MaintenanceState | null {
    return this.#state;
  }

  /** Applies a state that this node has just committed. Other nodes read it from the log. */
  assume(state: MaintenanceState | null): void {
    this.#state = state;
  }

  async load(): Promise<void> {
    const rows = await this.#db.system<{ maintenance: MaintenanceState | null; paused: string[] }>(
      `select maintenance, array(select key::text from workspaces where paused_at is not null) as paused
         from installation`,
    );
    this.#state = rows[0]?.maintenance ?? null;
    this.#paused = new Set(rows[0]?.paused);
  }

  assertOpen(op: MaintainedOperation, { credential, workspace }: Caller): void {
    if (op.kind === "query") return;
    if (workspace && this.#paused.has(workspace.key)) throw new Failure(WorkspacePaused);
    if (this.#state === null) return;
    if (op.allowInMaintenance || op.operatorsOnly || credential?.isOperator) return;
    const { message } = this.#state;
    throw new Failure(InMaintenance, {
      ...(message !== "" && { detail: message }),
      headers: { "retry-after": RETRY_AFTER_SECONDS },
    });
  }
}

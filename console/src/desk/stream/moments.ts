/** Builds the activity of a ticket from its events: messages are prominent, changes are small and grouped. */
import { toWords } from "../../ui/words.ts";
import type { Moment } from "../ticket-kind.ts";
import { toClauses } from "./clauses.ts";

export interface Said {
  readonly sort: "said";
  readonly id: string;
  readonly at: string;
  readonly actor: Moment["actor"];
  readonly body: string;
  readonly isInternal: boolean;
  readonly isByCaller: boolean;
  /** The result of the message, such as "Resolved". */
  readonly label?: string | undefined;
  /** True if it was received or sent by e-mail. */
  readonly isMail: boolean;
  readonly commentId: string | undefined;
  /** The number of the merged ticket that it belongs to. */
  readonly duplicate?: string | undefined;
}

export interface Done {
  readonly sort: "done";
  readonly id: string;
  readonly at: string;
  readonly actor: Moment["actor"];
  /** Clauses that follow the actor's name. */
  readonly clauses: readonly string[];
  readonly tone: "bad" | "warn" | "info" | "idle";
  readonly runId: string | undefined;
  /** The time of the last event in the entry. */
  readonly until: string;
  /** The events of the entry. */
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly undoable: boolean;
  }[];
}

export interface Filed {
  readonly sort: "filed";
  readonly id: string;
  readonly at: string;
  readonly actor: Moment["actor"];
  readonly files: readonly FiledFile[];
  /** The number of the merged ticket that they belong to. */
  readonly duplicate?: string | undefined;
}

export interface FiledFile {
  readonly id: string;
  readonly fileId: string | undefined;
  readonly name: string;
  readonly bytes: number;
  readonly type: string | undefined;
}

export type StreamEntry = Said | Done | Filed;

const TOGETHER_MS = 120_000;

/** Converts events, newest first as on the server, to entries, oldest first as displayed. */
export function toStream(
  moments: readonly Moment[],
  nameOf: (id: string) => string | undefined,
  callerId: string | null,
): readonly StreamEntry[] {
  const entries: StreamEntry[] = [];
  const oldestFirst = moments.toReversed();
  for (const [index, moment] of oldestFirst.entries()) {
    if (isMoveAlone(moment, oldestFirst.slice(Math.max(0, index - MOVE_EVENTS_MAX), index)))
      continue;
    const entry = toEntry(moment, nameOf, callerId);
    if (!entry) continue;
    const last = entries.at(-1);
    if (last && isTogether(last, entry)) entries[entries.length - 1] = join(last, entry);
    else entries.push(entry);
  }
  return entries;
}

/** An update can cause an assignment, an escalation and a rule's event. */
const MOVE_EVENTS_MAX = 3;

/** The API reports each team change also as an escalation; the change itself is already shown. */
function isMoveAlone({ type, at, actor, data }: Moment, before: readonly Moment[]): boolean {
  if (!type.endsWith(".escalated") || typeof data["reason"] === "string") return false;
  const change = before.findLast((one) => one.changes.length > 0);
  if (change?.at !== at || change.actor.id !== actor.id) return false;
  const fields = new Set(change.changes.map(({ field }) => field));
  return fields.has("teamId") && !fields.has("severity");
}

function isTogether(last: StreamEntry, next: StreamEntry): boolean {
  const isSoon = Date.parse(next.at) - Date.parse(last.at) < TOGETHER_MS;
  const isSame = last.sort === next.sort && last.actor.id === next.actor.id;
  const isAlike = toneIn(last) === toneIn(next) && canUndo(last) === canUndo(next);
  const isApart =
    last.sort === "filed" && next.sort === "filed" && last.duplicate !== next.duplicate;
  return isSoon && isSame && !isApart && last.sort !== "said" && isAlike;
}

/** Each undoable action is a separate entry, so that Undo reverts everything in it. */
const canUndo = (entry: StreamEntry): boolean =>
  entry.sort === "done" && entry.events.every(({ undoable }) => undoable);

const toneIn = (entry: StreamEntry): string => (entry.sort === "done" ? entry.tone : "");

function join(last: StreamEntry, next: StreamEntry): StreamEntry {
  if (last.sort === "done" && next.sort === "done") {
    const clauses = [...new Set([...last.clauses, ...next.clauses])];
    const events = [...last.events, ...next.events];
    const { until } = next;
    return { ...last, id: next.id, clauses, runId: next.runId ?? last.runId, events, until };
  }
  if (last.sort === "filed" && next.sort === "filed")
    return { ...last, id: next.id, files: [...last.files, ...next.files] };
  return next;
}

function toEntry(
  moment: Moment,
  nameOf: (id: string) => string | undefined,
  callerId: string | null,
): StreamEntry | undefined {
  const { eventId: id, at, data } = moment;
  const actor = makerOf(moment);
  const duplicate = moment.duplicate?.number;
  const verb = moment.type.split(".").at(-1) ?? "";
  const text = (name: string): string | undefined =>
    typeof data[name] === "string" && data[name] !== "" ? data[name] : undefined;
  const said = {
    sort: "said",
    id,
    at,
    actor,
    duplicate,
    isInternal: false,
    isMail: false,
  } as const;
  // A merged ticket starts with the caller's message.
  if (duplicate !== undefined && verb === "created") {
    const body = [text("title"), text("description")].filter(Boolean).join("\n\n");
    return { ...said, body, isByCaller: true, commentId: undefined };
  }
  if (verb === "comment_added") {
    const by = text("createdBy") ?? actor.id;
    const isByCaller =
      duplicate === undefined
        ? by === callerId && data["byAgent"] !== true
        : data["byAgent"] === false;
    return {
      ...said,
      body: text("body") ?? "",
      isInternal: data["internal"] === true,
      isByCaller,
      isMail: text("source") === "mail" || text("mailId") !== undefined,
      commentId: text("id"),
    };
  }
  if (verb === "attachment_added") {
    const file = {
      id: text("id") ?? id,
      fileId: text("fileId"),
      name: text("name") ?? "File",
      bytes: Number(data["bytes"] ?? 0),
      type: text("type") ?? text("contentType") ?? text("mediaType"),
    };
    return { sort: "filed", id, at, actor, duplicate, files: [file] };
  }
  const closing = text("resolution") ?? text("notes");
  if (/^(resolved|fulfilled|completed|rolled_back)$/.test(verb) && closing !== undefined) {
    const label = toWords(verb);
    return { ...said, body: closing, isByCaller: false, label, commentId: undefined };
  }
  const clauses = toClauses(moment, verb, nameOf);
  if (clauses.length === 0) return undefined;
  const events = [{ id, type: moment.type, undoable: moment.undoable }];
  return {
    sort: "done",
    id,
    at,
    until: at,
    actor,
    clauses,
    tone: toneOfVerb(verb, data["approved"] === true),
    runId: text("runId"),
    events,
  };
}

/** Returns the person who acted: for workflow decisions, the actor of the event is the platform. */
function makerOf({ actor, data }: Moment): Moment["actor"] {
  const { decidedById: id, decidedByName: name } = data;
  if (typeof id !== "string" || typeof name !== "string") return actor;
  return { id, name, type: "user" };
}

function toneOfVerb(verb: string, isApproved: boolean): Done["tone"] {
  if (/breach|failed|rejected|major_declared/.test(verb)) return "bad";
  if (verb === "step_decided") return isApproved ? "idle" : "bad";
  if (/warning|escalated/.test(verb)) return "warn";
  return "idle";
}

/** Returns unread messages from others since a moment. */
export function saidSince(
  stream: readonly StreamEntry[],
  sinceId: string | undefined,
  meId: string | undefined,
): readonly Said[] {
  const isNew = (entry: StreamEntry): boolean => sinceId === undefined || entry.id > sinceId;
  return stream.filter(
    (entry): entry is Said => entry.sort === "said" && isNew(entry) && entry.actor.id !== meId,
  );
}

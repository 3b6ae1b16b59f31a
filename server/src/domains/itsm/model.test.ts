/**
 * Model-based test: random people perform random operations on random tickets, and a small model predicts
 * the status, the exact events and the fields of the ticket afterwards. The model is written from the
 * contract, and shares no table with the product.
 */
import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const WALKERS = 8;
const STEPS = Number(process.env["MODEL_STEPS"] ?? 4_000) / WALKERS;
const SEED = Number(process.env["MODEL_SEED"] ?? 20_261_115);

type Role = "agent" | "change_manager" | "owner" | "viewer" | "member";
interface Person {
  readonly role: Role;
  readonly ask: Ask;
  readonly id: string;
}

interface Ticket {
  readonly kind: "incidents" | "changes" | "problems";
  readonly id: string;
  readonly createdBy: string;
  /** The fields that the model predicts. */
  fields: Record<string, unknown> & { state: string };
  isMerged?: boolean;
  /** The voters since it was last submitted. */
  voters: Set<string>;
}

interface Prediction {
  readonly status: number;
  readonly events?: readonly string[];
  readonly fields?: Record<string, unknown>;
}

const world = await useWorld();
const roles: readonly Role[] = ["agent", "agent", "change_manager", "owner", "viewer", "member"];
const people = await Promise.all(
  roles.map(async (role) => {
    const ask = await world.member([role]);
    return { role, ask, id: ask.userId };
  }),
);
const owner = people[3]?.ask ?? (() => Promise.reject(new Error("nobody")));
const teams = await Promise.all(
  ["One", "Two"].map(
    async (name) => (await owner("POST /api/v1/itsm/teams", { name })).body.data.id,
  ),
);

await owner("PATCH /api/v1/itsm/kinds/incident", {
  fields: [{ key: "level", name: "Level", type: "number" }],
});

/** A stream of numbers that is the same for the same seed. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a_2d39);
    mixed = (mixed ^ (mixed >>> 16)) >>> 0;
    return mixed % count;
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  maybe<T>(value: () => T): T | undefined {
    return this.below(3) === 0 ? value() : undefined;
  }
}

const WORKERS: readonly Role[] = ["agent", "change_manager", "owner"];
const APPROVERS: readonly Role[] = ["change_manager", "owner"];
const SEVERITIES = ["low", "medium", "high", "critical"];

/** The states that allow each action, and the one that it leads to. */
const TRANSITIONS: Readonly<
  Record<Ticket["kind"], Readonly<Record<string, readonly [string, string]>>>
> = {
  incidents: {
    resolve: ["new in_progress on_hold", "resolved"],
    close: ["resolved", "closed"],
    reopen: ["resolved closed", "in_progress"],
    cancel: ["new in_progress on_hold", "cancelled"],
  },
  changes: {
    submit: ["draft", "submitted"],
    approve: ["submitted", "approved"],
    reject: ["submitted", "rejected"],
    revise: ["rejected", "draft"],
    implement: ["approved", "implementing"],
    complete: ["implementing", "completed"],
    rollback: ["implementing completed", "rolled_back"],
    cancel: ["draft submitted approved rejected", "cancelled"],
  },
  problems: {
    investigate: ["open", "investigating"],
    declare_known_error: ["open investigating", "known_error"],
    resolve: ["open investigating known_error", "resolved"],
    close: ["resolved", "closed"],
    reopen: ["resolved closed", "investigating"],
  },
};

const EVENTS: Readonly<Record<string, string>> = {
  "incidents.resolve": "incident.resolved",
  "incidents.close": "incident.closed",
  "incidents.reopen": "incident.reopened",
  "incidents.cancel": "incident.cancelled",
  "changes.submit": "change.submitted",
  "changes.reject": "change.rejected",
  "changes.revise": "change.revised",
  "changes.implement": "change.implementation_started",
  "changes.complete": "change.completed",
  "changes.rollback": "change.rolled_back",
  "changes.cancel": "change.cancelled",
  "problems.investigate": "problem.investigation_started",
  "problems.declare_known_error": "problem.known_error_declared",
  "problems.resolve": "problem.resolved",
  "problems.close": "problem.closed",
  "problems.reopen": "problem.reopened",
};

/** The bodies of the actions that need one. */
const BODIES: Readonly<Record<string, object>> = {
  "incidents.resolve": { resolution: "Done", resolutionCode: "workaround" },
  "changes.reject": { reason: "Not now" },
  "changes.rollback": { notes: "It was slower" },
  "problems.declare_known_error": { rootCause: "A leak", workaround: "Restart it" },
  "problems.resolve": { resolution: "Mended" },
};

function predictAction(ticket: Ticket, action: string, by: Person): Prediction {
  const votes = action === "approve" || action === "reject";
  if (!(votes ? APPROVERS : WORKERS).includes(by.role)) return { status: 403 };
  if (votes && by.id === ticket.createdBy) return { status: 403 };
  const [from = "", to = ""] = TRANSITIONS[ticket.kind][action] ?? [];
  if (!from.split(" ").includes(ticket.fields.state)) return { status: 409 };
  if (votes && ticket.voters.has(by.id)) return { status: 409 };
  if (action === "approve") {
    const approvalsGiven = Number(ticket.fields["approvalsGiven"]) + 1;
    const isEnough = approvalsGiven >= Number(ticket.fields["approvalsRequired"]);
    return {
      status: 200,
      events: ["change.approval_given", ...(isEnough ? ["change.approved"] : [])],
      fields: { approvalsGiven, ...(isEnough && { state: to }) },
    };
  }
  return {
    status: 200,
    events: [EVENTS[`${ticket.kind}.${action}`] ?? ""],
    fields: { state: to, ...fieldsChangedBy(ticket, action) },
  };
}

/** The fields that change with the state. */
function fieldsChangedBy(ticket: Ticket, action: string): Record<string, unknown> {
  switch (`${ticket.kind}.${action}`) {
    case "incidents.resolve":
      return { resolution: "Done", resolutionCode: "workaround", onHoldReason: null };
    case "incidents.reopen":
      return {
        resolution: null,
        resolutionCode: null,
        reopenCount: Number(ticket.fields["reopenCount"]) + 1,
      };
    case "incidents.close":
    case "incidents.cancel":
      return { onHoldReason: null };
    case "changes.submit":
      return { approvalsGiven: 0, rejectionReason: null };
    case "changes.reject":
      return { rejectionReason: "Not now" };
    case "changes.rollback":
      return { rollbackNotes: "It was slower" };
    case "problems.declare_known_error":
      return { rootCause: "A leak", workaround: "Restart it" };
    case "problems.resolve":
      return { resolution: "Mended" };
    case "problems.reopen":
      return { resolution: null };
    default:
      return {};
  }
}

function predictPatch(ticket: Ticket, body: Record<string, unknown>, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  const before = ticket.fields;
  const { state = before.state, ...input } = body as { state?: string };
  const from = `${before.state} ${state}`;
  const patchTransitions = [
    "new in_progress",
    "on_hold in_progress",
    "new on_hold",
    "in_progress on_hold",
  ];
  const action = Object.entries(TRANSITIONS.incidents).find(
    ([, [sources, to]]) => to === state && sources.split(" ").includes(before.state),
  )?.[0];
  const isSameState = state === before.state;
  if (!isSameState && !patchTransitions.includes(from) && action === undefined)
    return { status: 409 };
  if (!isSameState && action === "resolve") return { status: 422 };
  const after: Record<string, unknown> = {
    ...before,
    ...(isSameState || patchTransitions.includes(from)
      ? {}
      : fieldsChangedBy(ticket, action ?? "")),
    ...input,
    state,
  };
  after["priority"] = Number(after["impact"]) + Number(after["urgency"]) - 1;
  after["fields"] = { ...(before["fields"] as object), ...(body["fields"] as object) };
  after["tags"] = [
    ...new Set((after["tags"] as string[]).map((tag) => tag.toLowerCase())),
  ].toSorted();
  const isChanged = Object.keys(after).some(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]),
  );
  if (!isChanged) return { status: 200, events: [] };
  const isWorse =
    SEVERITIES.indexOf(String(after["severity"])) > SEVERITIES.indexOf(String(before["severity"]));
  const [oldTeam, newTeam] = [before["teamId"], after["teamId"]];
  const isRerouted = oldTeam !== null && newTeam !== null && oldTeam !== newTeam;
  const isAssigned = after["assigneeId"] !== null && after["assigneeId"] !== before["assigneeId"];
  const transitionEvent = isSameState ? undefined : EVENTS[`incidents.${action ?? ""}`];
  return {
    status: 200,
    events: [
      "incident.updated",
      ...(isAssigned ? ["incident.assigned"] : []),
      ...(isWorse || isRerouted ? ["incident.escalated"] : []),
      ...(transitionEvent && !patchTransitions.includes(from) ? [transitionEvent] : []),
    ],
    fields: after,
  };
}

function predictEscalation(ticket: Ticket, body: Record<string, string>, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (!["new", "in_progress", "on_hold"].includes(ticket.fields.state)) return { status: 409 };
  const before = ticket.fields;
  const { severity = before["severity"], teamId = before["teamId"] } = body;
  const rank = (value: unknown): number => SEVERITIES.indexOf(String(value));
  const lower = rank(severity) < rank(before["severity"]);
  const same = severity === before["severity"] && teamId === before["teamId"];
  if (lower || same) return { status: 422 };
  return { status: 200, events: ["incident.escalated"], fields: { severity, teamId } };
}

const OPEN_STATES = ["new", "in_progress", "on_hold"];

function predictMerge(source: Ticket, target: Ticket, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (source === target) return { status: 422 };
  const isOpen = [source, target].every(({ fields: { state } }) => OPEN_STATES.includes(state));
  if (!isOpen) return { status: 409 };
  source.isMerged = true;
  const fields = { state: "cancelled", onHoldReason: null };
  return { status: 200, events: ["incident.merged", "incident.duplicate_added"], fields };
}

function predictUnmerge(ticket: Ticket, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (!ticket.isMerged) return { status: 409 };
  ticket.isMerged = false;
  const events = ["incident.unmerged", "incident.duplicate_removed"];
  return { status: 200, events, fields: { state: "in_progress" } };
}

/** The events and failures that occurred, so that the walks cover all of them. */
const covered = new Set<string>();

class Walk {
  readonly #random: Random;
  readonly #tickets: Ticket[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async step(): Promise<void> {
    const random = this.#random;
    const by = random.of(people);
    const ticket = this.#tickets.length > 0 ? random.of(this.#tickets.slice(-6)) : undefined;
    if (!ticket || random.below(12) === 0) return this.#create(by);
    if (ticket.kind === "incidents" && random.below(2) === 0) return this.#edit(ticket, by);
    return this.#act(ticket, by);
  }

  async #create(by: Person): Promise<void> {
    const random = this.#random;
    const kind = random.of(["incidents", "changes", "problems"] as const);
    const assigneeId = random.maybe(() => random.of(people).id) ?? null;
    const body = { title: `T${random.below(1000)}`, assigneeId, ...this.#detailOf(kind) };
    const { status, events, body: answer } = await by.ask(`POST /api/v1/itsm/${kind}`, body);
    const name = kind.slice(0, -1);
    if (!WORKERS.includes(by.role)) {
      expect([status, events]).toEqual([403, []]);
      return;
    }
    const assigned = kind === "incidents" && assigneeId !== null ? ["incident.assigned"] : [];
    expect([status, events]).toEqual([201, [`${name}.created`, ...assigned]]);
    const { id } = answer.data;
    const ticket: Ticket = {
      kind,
      id,
      createdBy: by.id,
      fields: { state: "", ...DEFAULT_FIELDS[kind], ...body },
      voters: new Set(),
    };
    if (kind === "incidents") {
      const { impact, urgency } = ticket.fields as unknown as Record<string, number>;
      ticket.fields["priority"] = Number(impact) + Number(urgency) - 1;
    }
    expect(answer.data).toMatchObject(ticket.fields);
    this.#tickets.push(ticket);
  }

  #detailOf(kind: Ticket["kind"]): Record<string, unknown> {
    const random = this.#random;
    if (kind === "incidents") {
      return {
        impact: 1 + random.below(3),
        urgency: 1 + random.below(3),
        severity: random.of(SEVERITIES),
      };
    }
    return kind === "changes" ? { approvalsRequired: 1 + random.below(2) } : {};
  }

  async #edit(ticket: Ticket, by: Person): Promise<void> {
    const random = this.#random;
    const path = `/api/v1/itsm/incidents/${ticket.id}`;
    if (random.below(8) === 0) {
      const prediction = predictUnmerge(ticket, by);
      return this.#compare(ticket, prediction, await by.ask(`POST ${path}/unmerge`));
    }
    if (random.below(8) === 0) {
      const target = random.of(this.#tickets.filter(({ kind }) => kind === "incidents").slice(-6));
      const prediction = predictMerge(ticket, target, by);
      const answer = await by.ask(`POST ${path}/merge`, { intoId: target.id });
      return this.#compare(ticket, prediction, answer);
    }
    if (random.below(3) === 0) {
      const body = {
        severity: random.maybe(() => random.of(SEVERITIES)),
        teamId: random.maybe(() => random.of(teams)),
        reason: "It is worse",
      };
      const input = JSON.parse(JSON.stringify(body));
      const prediction = predictEscalation(ticket, input, by);
      return this.#compare(ticket, prediction, await by.ask(`POST ${path}/escalate`, input));
    }
    const body = {
      title: random.maybe(() => `T${random.below(5)}`),
      impact: random.maybe(() => 1 + random.below(3)),
      urgency: random.maybe(() => 1 + random.below(3)),
      severity: random.maybe(() => random.of(SEVERITIES)),
      assigneeId: random.maybe(() => random.of([null, ...people.map(({ id }) => id)])),
      teamId: random.maybe(() => random.of([null, ...teams])),
      tags: random.maybe(() => random.of([[], ["Vip"], ["b", "a"]])),
      fields: random.maybe(() => ({ level: random.below(3) })),
      state: random.maybe(() =>
        random.of(["new", "in_progress", "on_hold", "resolved", "closed", "cancelled"]),
      ),
    };
    const input = JSON.parse(JSON.stringify(body));
    if (Object.keys(input).length === 0) input.title = "T0";
    const prediction = predictPatch(ticket, input, by);
    return this.#compare(ticket, prediction, await by.ask(`PATCH ${path}`, input));
  }

  async #act(ticket: Ticket, by: Person): Promise<void> {
    const all = Object.entries(TRANSITIONS[ticket.kind]);
    const open = all.filter(([, [from]]) => from.split(" ").includes(ticket.fields.state));
    // Half of the time something that its state allows, or few would get far.
    const candidates = open.length > 0 && this.#random.below(2) === 0 ? open : all;
    const [action] = this.#random.of(candidates);
    const prediction = predictAction(ticket, action, by);
    const path = `/api/v1/itsm/${ticket.kind}/${ticket.id}/${action}`;
    const answer = await by.ask(`POST ${path}`, BODIES[`${ticket.kind}.${action}`]);
    this.#compare(ticket, prediction, answer);
    if (answer.status !== 200) return;
    if (action === "submit") ticket.voters.clear();
    if (action === "approve" || action === "reject") ticket.voters.add(by.id);
  }

  #compare(
    ticket: Ticket,
    { status, events = [], fields = {} }: Prediction,
    answer: { readonly status: number; readonly events: string[]; readonly body: any },
  ): void {
    expect([answer.status, answer.events, ticket.kind], JSON.stringify(answer.body)).toEqual([
      status,
      [...events],
      ticket.kind,
    ]);
    covered.add(`${ticket.kind} ${status}`);
    for (const event of events) covered.add(event);
    if (status !== 200) return;
    ticket.fields = { ...ticket.fields, ...fields };
    expect(answer.body.data).toMatchObject(ticket.fields);
  }
}

const DEFAULT_FIELDS: Readonly<Record<Ticket["kind"], Record<string, unknown>>> = {
  incidents: {
    state: "new",
    teamId: null,
    resolution: null,
    resolutionCode: null,
    reopenCount: 0,
    tags: [],
    fields: {},
  },
  changes: { state: "draft", approvalsGiven: 0, type: "normal" },
  problems: { state: "open", rootCause: null, workaround: null, resolution: null },
};

test("random operations on tickets give the responses, events and states of the model", async () => {
  await Promise.all(
    Array.from({ length: WALKERS }, async (_, index) => {
      const walk = new Walk(SEED + index * 7919);
      for (let step = 0; step < STEPS; step += 1) await walk.step();
    }),
  );
  const others = [
    "incident.updated",
    "incident.assigned",
    "incident.escalated",
    "change.approved",
    "incident.merged",
    "incident.unmerged",
  ];
  const failures = ["incidents", "changes", "problems"].flatMap((kind) => [
    `${kind} 403`,
    `${kind} 409`,
  ]);
  for (const name of [...Object.values(EVENTS), ...others, ...failures, "incidents 422"]) {
    expect(covered).toContain(name);
  }
});

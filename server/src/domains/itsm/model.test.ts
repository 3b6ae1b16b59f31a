/**
 * Random people do random things to random tickets, and a small model says beforehand what comes of
 * each: the status, the exact events, and what the ticket is afterwards. The model is written from the
 * contract, and shares no table with the product.
 */
import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const WALKERS = 8;
const STEPS = 10_000 / WALKERS;
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
  /** What is compared with what the product shows. */
  shown: Record<string, unknown> & { state: string };
  /** Those who voted since it was last submitted. */
  voters: Set<string>;
}

interface Foreseen {
  readonly status: number;
  readonly events?: readonly string[];
  readonly shown?: Record<string, unknown>;
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

/** A stream of numbers that is the same for the same seed. */
class Chance {
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

/** Where each action leads, from which states. */
const WAYS: Readonly<Record<Ticket["kind"], Readonly<Record<string, readonly [string, string]>>>> =
  {
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

/** Those that want one; `reopen` and `cancel` of incidents take one, and others none at all. */
const BODIES: Readonly<Record<string, object>> = {
  "incidents.resolve": { resolution: "Done", resolutionCode: "workaround" },
  "changes.reject": { reason: "Not now" },
  "changes.rollback": { notes: "It was slower" },
  "problems.declare_known_error": { rootCause: "A leak", workaround: "Restart it" },
  "problems.resolve": { resolution: "Mended" },
};

/** What an action will come to. */
function foreseeAction(ticket: Ticket, action: string, by: Person): Foreseen {
  const votes = action === "approve" || action === "reject";
  if (!(votes ? APPROVERS : WORKERS).includes(by.role)) return { status: 403 };
  if (votes && by.id === ticket.createdBy) return { status: 403 };
  const [from = "", to = ""] = WAYS[ticket.kind][action] ?? [];
  if (!from.split(" ").includes(ticket.shown.state)) return { status: 409 };
  if (votes && ticket.voters.has(by.id)) return { status: 409 };
  if (action === "approve") {
    const given = Number(ticket.shown["approvalsGiven"]) + 1;
    const isEnough = given >= Number(ticket.shown["approvalsRequired"]);
    return {
      status: 200,
      events: ["change.approval_given", ...(isEnough ? ["change.approved"] : [])],
      shown: { approvalsGiven: given, ...(isEnough && { state: to }) },
    };
  }
  return {
    status: 200,
    events: [EVENTS[`${ticket.kind}.${action}`] ?? ""],
    shown: { state: to, ...besides(ticket, action) },
  };
}

/** What else changes with the state. */
function besides(ticket: Ticket, action: string): Record<string, unknown> {
  switch (`${ticket.kind}.${action}`) {
    case "incidents.resolve":
      return { resolution: "Done", resolutionCode: "workaround", onHoldReason: null };
    case "incidents.reopen":
      return {
        resolution: null,
        resolutionCode: null,
        reopenCount: Number(ticket.shown["reopenCount"]) + 1,
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

/** What a PATCH of an incident will come to. */
function foreseePatch(ticket: Ticket, body: Record<string, unknown>, by: Person): Foreseen {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  const before = ticket.shown;
  const { state = before.state, ...told } = body as { state?: string };
  const from = `${before.state} ${state}`;
  const ways = ["new in_progress", "on_hold in_progress", "new on_hold", "in_progress on_hold"];
  const action = Object.entries(WAYS.incidents).find(
    ([, [sources, to]]) => to === state && sources.split(" ").includes(before.state),
  )?.[0];
  const stays = state === before.state;
  if (!stays && !ways.includes(from) && action === undefined) return { status: 409 };
  if (!stays && action === "resolve") return { status: 422 };
  const after: Record<string, unknown> = {
    ...before,
    ...(stays || ways.includes(from) ? {} : besides(ticket, action ?? "")),
    ...told,
    state,
  };
  after["priority"] = Number(after["impact"]) + Number(after["urgency"]) - 1;
  const changed = Object.keys(after).some((field) => after[field] !== before[field]);
  if (!changed) return { status: 200, events: [] };
  const worse =
    SEVERITIES.indexOf(String(after["severity"])) > SEVERITIES.indexOf(String(before["severity"]));
  const [oldTeam, newTeam] = [before["teamId"], after["teamId"]];
  const moved = oldTeam !== null && newTeam !== null && oldTeam !== newTeam;
  const given = after["assigneeId"] !== null && after["assigneeId"] !== before["assigneeId"];
  const own = stays ? undefined : EVENTS[`incidents.${action ?? ""}`];
  return {
    status: 200,
    events: [
      "incident.updated",
      ...(given ? ["incident.assigned"] : []),
      ...(worse || moved ? ["incident.escalated"] : []),
      ...(own && !ways.includes(from) ? [own] : []),
    ],
    shown: after,
  };
}

/** What an escalation will come to. */
function foreseeEscalation(ticket: Ticket, body: Record<string, string>, by: Person): Foreseen {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (!["new", "in_progress", "on_hold"].includes(ticket.shown.state)) return { status: 409 };
  const before = ticket.shown;
  const { severity = before["severity"], teamId = before["teamId"] } = body;
  const rank = (one: unknown): number => SEVERITIES.indexOf(String(one));
  const lower = rank(severity) < rank(before["severity"]);
  const same = severity === before["severity"] && teamId === before["teamId"];
  if (lower || same) return { status: 422 };
  return { status: 200, events: ["incident.escalated"], shown: { severity, teamId } };
}

/** What came about at all, so that no walk goes where nothing happens. */
const seen = new Set<string>();

class Walk {
  readonly #chance: Chance;
  readonly #tickets: Ticket[] = [];

  constructor(seed: number) {
    this.#chance = new Chance(seed);
  }

  async step(): Promise<void> {
    const chance = this.#chance;
    const by = chance.of(people);
    const ticket = this.#tickets.length > 0 ? chance.of(this.#tickets.slice(-6)) : undefined;
    if (!ticket || chance.below(12) === 0) return this.#create(by);
    if (ticket.kind === "incidents" && chance.below(2) === 0) return this.#edit(ticket, by);
    return this.#act(ticket, by);
  }

  async #create(by: Person): Promise<void> {
    const chance = this.#chance;
    const kind = chance.of(["incidents", "changes", "problems"] as const);
    const assigneeId = chance.maybe(() => chance.of(people).id) ?? null;
    const body = { title: `T${chance.below(1000)}`, assigneeId, ...this.#detailOf(kind) };
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
      shown: { state: "", ...BLANK[kind], ...body },
      voters: new Set(),
    };
    if (kind === "incidents") {
      const { impact, urgency } = ticket.shown as unknown as Record<string, number>;
      ticket.shown["priority"] = Number(impact) + Number(urgency) - 1;
    }
    expect(answer.data).toMatchObject(ticket.shown);
    this.#tickets.push(ticket);
  }

  #detailOf(kind: Ticket["kind"]): Record<string, unknown> {
    const chance = this.#chance;
    if (kind === "incidents") {
      return {
        impact: 1 + chance.below(3),
        urgency: 1 + chance.below(3),
        severity: chance.of(SEVERITIES),
      };
    }
    return kind === "changes" ? { approvalsRequired: 1 + chance.below(2) } : {};
  }

  async #edit(ticket: Ticket, by: Person): Promise<void> {
    const chance = this.#chance;
    const path = `/api/v1/itsm/incidents/${ticket.id}`;
    if (chance.below(3) === 0) {
      const body = {
        severity: chance.maybe(() => chance.of(SEVERITIES)),
        teamId: chance.maybe(() => chance.of(teams)),
        reason: "It is worse",
      };
      const given = JSON.parse(JSON.stringify(body));
      const foreseen = foreseeEscalation(ticket, given, by);
      return this.#compare(ticket, foreseen, await by.ask(`POST ${path}/escalate`, given));
    }
    const body = {
      title: chance.maybe(() => `T${chance.below(5)}`),
      impact: chance.maybe(() => 1 + chance.below(3)),
      urgency: chance.maybe(() => 1 + chance.below(3)),
      severity: chance.maybe(() => chance.of(SEVERITIES)),
      assigneeId: chance.maybe(() => chance.of([null, ...people.map(({ id }) => id)])),
      teamId: chance.maybe(() => chance.of([null, ...teams])),
      state: chance.maybe(() =>
        chance.of(["new", "in_progress", "on_hold", "resolved", "closed", "cancelled"]),
      ),
    };
    const given = JSON.parse(JSON.stringify(body));
    if (Object.keys(given).length === 0) given.title = "T0";
    const foreseen = foreseePatch(ticket, given, by);
    return this.#compare(ticket, foreseen, await by.ask(`PATCH ${path}`, given));
  }

  async #act(ticket: Ticket, by: Person): Promise<void> {
    const all = Object.entries(WAYS[ticket.kind]);
    const open = all.filter(([, [from]]) => from.split(" ").includes(ticket.shown.state));
    // Half of the time something that its state allows, or few would get far.
    const among = open.length > 0 && this.#chance.below(2) === 0 ? open : all;
    const [action] = this.#chance.of(among);
    const foreseen = foreseeAction(ticket, action, by);
    const path = `/api/v1/itsm/${ticket.kind}/${ticket.id}/${action}`;
    const answer = await by.ask(`POST ${path}`, BODIES[`${ticket.kind}.${action}`]);
    this.#compare(ticket, foreseen, answer);
    if (answer.status !== 200) return;
    if (action === "submit") ticket.voters.clear();
    if (action === "approve" || action === "reject") ticket.voters.add(by.id);
  }

  #compare(
    ticket: Ticket,
    { status, events = [], shown = {} }: Foreseen,
    answer: { readonly status: number; readonly events: string[]; readonly body: any },
  ): void {
    expect([answer.status, answer.events, ticket.kind], JSON.stringify(answer.body)).toEqual([
      status,
      [...events],
      ticket.kind,
    ]);
    seen.add(`${ticket.kind} ${status}`);
    for (const event of events) seen.add(event);
    if (status !== 200) return;
    ticket.shown = { ...ticket.shown, ...shown };
    expect(answer.body.data).toMatchObject(ticket.shown);
  }
}

const BLANK: Readonly<Record<Ticket["kind"], Record<string, unknown>>> = {
  incidents: { state: "new", teamId: null, resolution: null, resolutionCode: null, reopenCount: 0 },
  changes: { state: "draft", approvalsGiven: 0, type: "normal" },
  problems: { state: "open", rootCause: null, workaround: null, resolution: null },
};

test("whatever anyone does to a ticket, what comes of it is what the model says", async () => {
  await Promise.all(
    Array.from({ length: WALKERS }, async (_, index) => {
      const walk = new Walk(SEED + index * 7919);
      for (let step = 0; step < STEPS; step += 1) await walk.step();
    }),
  );
  const others = ["incident.updated", "incident.assigned", "incident.escalated", "change.approved"];
  const refusals = ["incidents", "changes", "problems"].flatMap((kind) => [
    `${kind} 403`,
    `${kind} 409`,
  ]);
  for (const one of [...Object.values(EVENTS), ...others, ...refusals, "incidents 422"]) {
    expect(seen).toContain(one);
  }
});

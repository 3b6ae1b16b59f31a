import { expect, test } from "vitest";
import type { Moment } from "../ticket-kind.ts";
import { saidSince, toStream } from "./moments.ts";

const MARA = { id: "usr_m", name: "Mara", type: "user" } as const;
const SVEN = { id: "usr_s", name: "Sven", type: "user" } as const;
const names: Readonly<Record<string, string>> = { usr_m: "Mara", usr_s: "Sven", tem_n: "Network" };
const moment = (n: number, type: string, fields: Partial<Moment> = {}): Moment => ({
  eventId: `evt_${n}`,
  type: `incident.${type}`,
  at: new Date(Date.UTC(2026, 10, 16, 9, 0, n * 10)).toISOString(),
  actor: MARA,
  changes: [],
  undoable: false,
  data: {},
  ...fields,
});
const shown = (...moments: readonly Moment[]) =>
  toStream(moments.toReversed(), (id) => names[id], "usr_s");

test("shows messages as separate entries and groups simultaneous changes by the same user", () => {
  const stream = shown(
    moment(1, "created", { actor: SVEN }),
    moment(2, "updated", { changes: [{ field: "state", from: "new", to: "in_progress" }] }),
    moment(3, "updated", {
      changes: [
        { field: "teamId", from: null, to: "tem_n" },
        { field: "assigneeId", from: null, to: "usr_m" },
        { field: "ciIds", from: [], to: ["ci_1"] },
      ],
    }),
    moment(4, "comment_added", { data: { id: "cmt_1", body: "Hello", byAgent: true } }),
    moment(5, "comment_added", {
      actor: SVEN,
      data: { id: "cmt_2", body: "Hi", createdBy: "usr_s" },
    }),
    moment(6, "comment_added", {
      data: { id: "cmt_3", body: "Odd", internal: true, byAgent: true },
    }),
  );
  expect(
    stream.map((entry) =>
      entry.sort === "said"
        ? `${entry.isInternal ? "internal" : entry.isByCaller ? "caller" : "agent"}: ${entry.body}`
        : entry.sort === "done"
          ? entry.clauses.join("; ")
          : entry.sort,
    ),
  ).toEqual([
    "created the ticket",
    "set the state to In progress; assigned it to the team Network; assigned the ticket to themselves; changed the affected items",
    "agent: Hello",
    "caller: Hi",
    "internal: Odd",
  ]);
});

test("shows a team change as a single line and only real escalations as escalations", () => {
  const at = new Date(Date.UTC(2026, 10, 16, 9)).toISOString();
  const moved = { field: "teamId", from: "tem_o", to: "tem_n" };
  const worse = { field: "severity", from: "low", to: "high" };
  const story = (change: Moment["changes"], reason: string | null = null) =>
    shown(
      moment(1, "updated", { at, changes: change }),
      moment(2, "escalated", { at, data: { reason } }),
    ).flatMap((entry) => (entry.sort === "done" ? entry.clauses : []));
  expect(story([moved])).toEqual(["moved it to Network"]);
  expect(story([moved, worse])).toEqual([
    "moved it to Network",
    "changed the severity from Low to High",
    "escalated the ticket",
  ]);
  expect(story([moved], "Needs experts")).toEqual([
    "moved it to Network",
    "escalated the ticket: Needs experts",
  ]);
  const alone = shown(moment(1, "escalated", { data: { reason: null } }));
  expect(alone).toMatchObject([{ clauses: ["escalated the ticket"] }]);
});

test("a resolution is shown as a reply, a breach in red, and files of one moment in one entry", () => {
  const [resolved, breach, filed] = shown(
    moment(1, "resolved", { data: { resolution: "Replaced the disk" } }),
    moment(2, "sla_breached", { data: { metric: "response" } }),
    moment(3, "attachment_added", { data: { id: "a", name: "one.png", bytes: 3 } }),
    moment(4, "attachment_added", { data: { id: "b", name: "two.png", bytes: 4 } }),
  );
  expect(resolved).toMatchObject({ sort: "said", body: "Replaced the disk", label: "Resolved" });
  expect(breach).toMatchObject({
    tone: "bad",
    clauses: ["recorded that the response target of the SLA was missed"],
  });
  expect(filed).toMatchObject({ sort: "filed", files: [{ name: "one.png" }, { name: "two.png" }] });
});

test("an author is notified only of new replies by others", () => {
  const stream = shown(
    moment(1, "comment_added", { actor: SVEN, data: { body: "a" } }),
    moment(2, "comment_added", { data: { body: "mine" } }),
    moment(3, "comment_added", { actor: SVEN, data: { body: "b" } }),
  );
  expect(saidSince(stream, "evt_1", "usr_m").map(({ body }) => body)).toEqual(["b"]);
  expect(saidSince(stream, undefined, "usr_m")).toHaveLength(2);
});

test("events of problems are described in plain words", () => {
  const [entry] = shown(
    moment(1, "investigation_started"),
    moment(2, "incident_linked", { data: { incident: { number: "INC0000009" } } }),
    moment(3, "updated", {
      changes: [
        { field: "rootCause", from: null, to: "A newline too many." },
        { field: "workaround", from: "Scan slowly.", to: null },
      ],
    }),
    moment(4, "known_error_declared"),
  );
  expect(entry).toMatchObject({
    clauses: [
      "started to investigate",
      "linked INC0000009",
      "changed the cause",
      "removed the workaround",
      "declared a known error",
    ],
  });
});

test("each undoable action is a separate entry, so that Undo reverts everything in it", () => {
  const told = shown(
    moment(1, "approved"),
    moment(2, "task_added"),
    moment(3, "updated", {
      undoable: true,
      changes: [{ field: "teamId", from: null, to: "tem_n" }],
    }),
  );
  const events = told.map((entry) => (entry.sort === "done" ? entry.events : []));
  expect(events).toEqual([
    [
      { id: "evt_1", type: "incident.approved", undoable: false },
      { id: "evt_2", type: "incident.task_added", undoable: false },
    ],
    [{ id: "evt_3", type: "incident.updated", undoable: true }],
  ]);
});

test("approval steps and reminders are described", () => {
  const one = { decisions: [{ comment: "He needs it" }] };
  const two = { decisions: [...one.decisions, { comment: null }] };
  const told = shown(
    moment(1, "approval_requested", { data: { approval: { decisions: [] } } }),
    moment(2, "approval_requested", { data: { approval: one } }),
    moment(3, "updated", { changes: [{ field: "approval", from: one, to: two }] }),
    moment(4, "updated", { changes: [{ field: "approval", from: two, to: two }] }),
    moment(5, "approval_reminded", { data: { approval: two } }),
  );
  const text = JSON.stringify(told);
  for (const clause of [
    "requested approval",
    "approved a step: He needs it",
    "approved it",
    "changed the approvers",
    "reminded the approvers",
  ]) {
    expect(text).toContain(clause);
  }
});

test("shows request decisions with comments, and workflow steps with the approver", () => {
  const told = shown(
    moment(1, "approved", { data: { approval: { decisions: [{ comment: "OK from me" }] } } }),
    moment(2, "step_decided", {
      actor: { id: "system", name: "system", type: "system" },
      data: {
        approved: false,
        comment: "No MFA",
        message: "Is it safe?",
        decidedById: "usr_s",
        decidedByName: "Sven",
      },
    }),
    moment(3, "task_added", { data: { title: "Open the port" } }),
  );
  expect(told).toMatchObject([
    { actor: MARA, clauses: ["approved it: OK from me"] },
    { actor: { name: "Sven" }, clauses: ["rejected “Is it safe?”: No MFA"], tone: "bad" },
    { actor: MARA, clauses: ["added the task “Open the port”"] },
  ]);
});

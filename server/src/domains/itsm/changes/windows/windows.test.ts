import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { parseICalendar, text } from "../calendar/testing/parse-icalendar.ts";
import {
  performAction,
  CHANGES,
  createChange,
  readEvents,
  createItem,
  type Member,
  createPeople,
  createSubmittedChange,
} from "../testing/changes.ts";

const BLACKOUTS = "/api/v1/itsm/blackout-windows";
const HOUR_MS = 3_600_000;

const world = await useWorld();
const {
  owner,
  requester,
  managers: [manager],
} = await createPeople(world);
const server = await createItem(owner, "Server");
const printer = await createItem(owner, "Printer");

function planned(day: string, from: string, to: string) {
  return { plannedStart: `${day}T${from}:00Z`, plannedEnd: `${day}T${to}:00Z` };
}

async function conflictsOf(id: string) {
  const { changes, blackoutWindows } = (await requester(`GET ${CHANGES}/${id}/conflicts`)).body
    .data;
  return [...changes, ...blackoutWindows].map((one) => one.id);
}

async function blackout(body: object): Promise<any> {
  const answer = await manager(`POST ${BLACKOUTS}`, { name: "Freeze", ...body });
  expect(answer).toMatchObject({ status: 201, events: ["blackout_window.created"] });
  return answer.body.data;
}

test("changes of a shared item conflict if their windows overlap, but not if they touch", async () => {
  const day = "2031-03-01";
  const one = await createSubmittedChange(requester, {
    ciIds: [server],
    ...planned(day, "10:00", "12:00"),
  });
  const at = (from: string, to: string, ciIds = [server, printer]) =>
    createChange(requester, { ciIds, ...planned(day, from, to) });
  expect(await conflictsOf((await at("11:59", "13:00")).id)).toEqual([one.id]);
  expect(await conflictsOf((await at("10:30", "11:00")).id)).toEqual([one.id]);
  expect(await conflictsOf((await at("12:00", "13:00")).id)).toEqual([]);
  expect(await conflictsOf((await at("09:00", "10:00")).id)).toEqual([]);
  expect(await conflictsOf((await at("10:00", "12:00", [printer])).id)).toEqual([]);
  expect(await conflictsOf((await createChange(requester, { ciIds: [server] })).id)).toEqual([]);
  const { body } = await requester(`GET ${CHANGES}/${(await at("11:00", "12:00")).id}/conflicts`);
  expect(body.data.changes).toEqual([
    {
      id: one.id,
      number: one.number,
      title: one.title,
      state: "submitted",
      type: "normal",
      plannedStart: `${day}T10:00:00.000Z`,
      plannedEnd: `${day}T12:00:00.000Z`,
      ciIds: [server],
    },
  ]);
});

test("only planned changes conflict: not drafts, ended changes or the change itself", async () => {
  const day = "2031-03-02";
  const window = { ciIds: [server], ...planned(day, "10:00", "12:00") };
  const other = await createChange(requester, window);
  const { id } = await createSubmittedChange(requester, window);
  expect(await conflictsOf(id)).toEqual([]);
  const expected: [string, Member, object?][] = [
    ["submit", requester],
    ["approve", manager],
    ["implement", requester, { reason: "A rehearsal" }],
  ];
  for (const [action, by, body] of expected) {
    await performAction(by, other.id, action, body);
    expect(await conflictsOf(id)).toEqual([other.id]);
  }
  await performAction(requester, other.id, "complete");
  expect(await conflictsOf(id)).toEqual([]);
});

test("a blackout window conflicts with changes to matching items and increases the risk", async () => {
  const day = "2031-03-03";
  const at = (ciIds: string[], from = "10:00") =>
    createChange(requester, { ciIds, ...planned(day, from, "12:00") });
  const own = await blackout({
    start: `${day}T08:00:00Z`,
    end: `${day}T11:00:00Z`,
    ciIds: [server],
  });
  const change = await at([server]);
  expect(await conflictsOf(change.id)).toEqual([own.id]);
  expect(change.risk.reasons).toContain("Planned during a change freeze (+15)");
  expect(await conflictsOf((await at([printer])).id)).toEqual([]);
  expect(await conflictsOf((await at([server], "11:00")).id)).toEqual([]);
  const all = await blackout({ start: `${day}T11:30:00Z`, end: `${day}T12:30:00Z` });
  expect(await conflictsOf((await at([printer])).id)).toEqual([all.id]);
  expect(await conflictsOf((await at([])).id)).toEqual([all.id]);
});

test("blocks the start of a change during a blackout window, except emergency changes and at the window end", async () => {
  const approved = async (more: object) => {
    const { id } = await createSubmittedChange(requester, more);
    await performAction(manager, id, "approve");
    return id as string;
  };
  const nowMs = world.clock.nowMs();
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const window = await blackout({ start: at(-HOUR_MS), end: at(HOUR_MS), ciIds: [server] });
  const held = await approved({ ciIds: [server, printer] });
  expect(await performAction(requester, held, "implement")).toMatchObject({
    status: 409,
    body: { code: "change_blackout", blackoutWindows: [{ id: window.id, name: "Freeze" }] },
    events: [],
  });
  const begun = { status: 200, events: ["change.implementation_started"] };
  expect(
    await performAction(requester, await approved({ ciIds: [printer] }), "implement"),
  ).toMatchObject(begun);
  const emergency = await approved({ ciIds: [server], type: "emergency" });
  expect(await performAction(requester, emergency, "implement")).toMatchObject({
    status: 422,
    body: { code: "change_reason_required", blackoutWindows: [{ id: window.id, name: "Freeze" }] },
    events: [],
  });
  const because = { reason: "The disk is full" };
  expect(await performAction(requester, emergency, "implement", because)).toMatchObject(begun);
  expect((await readEvents(world, emergency)).at(-1).data).toMatchObject({
    outsideWindow: false,
    conflicts: [],
    blackoutWindows: [{ id: window.id, name: "Freeze" }],
    ...because,
  });
  const shortened = await manager(`PATCH ${BLACKOUTS}/${window.id}`, { ciIds: [] });
  expect(shortened).toMatchObject({ status: 200, events: ["blackout_window.updated"] });
  const nothing = await approved({});
  expect(await performAction(requester, nothing, "implement")).toMatchObject({ status: 409 });
  world.clock.advance(HOUR_MS);
  expect(await performAction(requester, held, "implement")).toMatchObject(begun);
  expect(await performAction(requester, nothing, "implement")).toMatchObject(begun);
});

test("a conflicting change starts with a reason, which its event records", async () => {
  const at = (ms: number) => new Date(world.clock.nowMs() + ms).toISOString();
  const window = { ciIds: [server], plannedStart: at(-HOUR_MS), plannedEnd: at(HOUR_MS) };
  const other = await createSubmittedChange(requester, window);
  const { id } = await createSubmittedChange(requester, window);
  await performAction(manager, id, "approve");
  const conflicts = [{ id: other.id, number: other.number }];
  expect(await performAction(requester, id, "implement")).toMatchObject({
    status: 422,
    body: { code: "change_reason_required", outsideWindow: false, conflicts },
    events: [],
  });
  const reason = "The other one is postponed";
  expect(await performAction(requester, id, "implement", { reason })).toMatchObject({
    status: 200,
  });
  expect((await readEvents(world, id)).at(-1).data).toMatchObject({ conflicts, reason });
});

test("a change started outside of its planned window is marked", async () => {
  const outside = async (fromMs: number, toMs: number) => {
    const at = (ms: number) => new Date(world.clock.nowMs() + ms);
    const { id } = await createSubmittedChange(requester, {
      plannedStart: at(fromMs),
      plannedEnd: at(toMs),
    });
    await performAction(manager, id, "approve");
    const bare = await performAction(requester, id, "implement");
    if (bare.status === 200) return (await readEvents(world, id)).at(-1).data.outsideWindow;
    expect(bare).toMatchObject({
      status: 422,
      body: { code: "change_reason_required", outsideWindow: true },
      events: [],
    });
    const blank = await performAction(requester, id, "implement", { reason: " " });
    expect(blank).toMatchObject({ status: 422, events: [] });
    await performAction(requester, id, "implement", { reason: "The team is here" });
    const { data } = (await readEvents(world, id)).at(-1);
    expect(data).toMatchObject({ reason: "The team is here", conflicts: [] });
    return data.outsideWindow;
  };
  expect(await outside(-HOUR_MS, HOUR_MS)).toBe(false);
  expect(await outside(HOUR_MS, 2 * HOUR_MS)).toBe(true);
  expect(await outside(-2 * HOUR_MS, -HOUR_MS)).toBe(true);
});

test("change approvers update and delete blackout windows, with validation", async () => {
  const body = { name: "Freeze", start: "2032-01-01T00:00:00Z", end: "2032-01-02T00:00:00Z" };
  expect(await requester(`POST ${BLACKOUTS}`, body)).toMatchObject({ status: 403, events: [] });
  const wrong = { ...body, end: body.start };
  expect(await manager(`POST ${BLACKOUTS}`, wrong)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/end" }] },
  });
  const { id } = await blackout(body);
  const same = await manager(`PATCH ${BLACKOUTS}/${id}`, { start: "2032-01-01T01:00:00+01:00" });
  expect(same).toMatchObject({ status: 200, events: [], headers: { etag: '"1"' } });
  expect(await manager(`DELETE ${BLACKOUTS}/${id}`)).toMatchObject({
    status: 204,
    events: ["blackout_window.deleted"],
  });
  expect(await manager(`GET ${BLACKOUTS}/${id}`)).toMatchObject({ status: 404 });
});

test("the calendar shows planned changes as JSON and in iCalendar format", async () => {
  const day = "2033-05-05";
  const title = `Ümbau, ${"sehr ".repeat(20)}lang; \\ weit`;
  const window = planned(day, "10:00", "12:00");
  const { id, number } = await createSubmittedChange(requester, { title, ...window });
  await createChange(requester, { title: "Only a draft", ...window });
  const freeze = await blackout({ start: `${day}T11:00:00Z`, end: `${day}T13:00:00Z` });
  const times = `from=${day}T00:00:00Z&to=2033-05-06T00:00:00Z`;
  const { body } = await requester(`GET ${CHANGES}/calendar?${times}`);
  expect(body.data).toMatchObject({
    from: `${day}T00:00:00.000Z`,
    changes: [{ id, number, title, state: "submitted", risk: { level: "low" } }],
    blackoutWindows: [{ id: freeze.id }],
    truncated: false,
  });
  expect(body.data.changes).toHaveLength(1);
  const answer = await requester(`GET ${CHANGES}/calendar.ics?${times}`);
  expect(answer.headers["content-type"]).toBe("text/calendar; charset=utf-8");
  const events = parseICalendar(answer.body);
  expect(
    events.map((event) => [event.get("UID"), event.get("DTSTART"), event.get("STATUS")]),
  ).toEqual([
    [`${id}@millrace`, "20330505T100000Z", "TENTATIVE"],
    [`${freeze.id}@millrace`, "20330505T110000Z", "CONFIRMED"],
  ]);
  expect(events.map((event) => text(event, "SUMMARY"))).toEqual([
    `${number} ${title}`,
    "Change freeze: Freeze",
  ]);
  const tooLong = await requester(
    `GET ${CHANGES}/calendar?from=2033-01-01T00:00:00Z&to=2035-01-01T00:00:00Z`,
  );
  expect(tooLong).toMatchObject({ status: 422, body: { errors: [{ path: "?to" }] } });
});

test("the secret calendar URL works until replacement, revocation, or loss of the owner's permission", async () => {
  const viewer = await world.member(["viewer"]);
  const soon = new Date(world.clock.nowMs() + HOUR_MS);
  const later = new Date(soon.getTime() + HOUR_MS);
  const { number } = await createSubmittedChange(requester, {
    plannedStart: soon,
    plannedEnd: later,
  });
  const make = async () => {
    const { status, body, events } = await viewer(`POST ${CHANGES}/calendar-feed`);
    expect(status).toBe(201);
    return { path: new URL(body.data.url).pathname, events };
  };
  const first = await make();
  expect(first.events).toEqual(["audit.calendar_feed.created"]);
  const read = (path: string) => world.stranger(`GET ${path}`);
  const shown = await read(first.path);
  expect(shown.status).toBe(200);
  expect(parseICalendar(shown.body).map((event) => text(event, "SUMMARY"))).toContain(
    `${number} Swap the disks`,
  );
  const token = /calendars\/(.+)\.ics/.exec(first.path)?.[1] ?? "";
  const kept = await world.sql("select encode(token_hash, 'escape') as hash from calendar_feeds");
  expect(JSON.stringify(kept)).not.toContain(token);
  const second = await make();
  expect(second.events).toEqual(["audit.calendar_feed.revoked", "audit.calendar_feed.created"]);
  expect(await read(first.path)).toMatchObject({ status: 404 });
  expect(await read(second.path)).toMatchObject({ status: 200 });
  const demoted = await owner(`DELETE /api/v1/settings/users/${viewer.userId}/roles/viewer`);
  expect(demoted.status).toBeLessThan(300);
  expect(await read(second.path)).toMatchObject({ status: 404 });
  const third = await owner(`POST ${CHANGES}/calendar-feed`);
  expect(await owner(`DELETE ${CHANGES}/calendar-feed`)).toMatchObject({
    status: 204,
    events: ["audit.calendar_feed.revoked"],
  });
  expect(await read(new URL(third.body.data.url).pathname)).toMatchObject({ status: 404 });
  const logged = world.lines.join();
  expect(logged).toContain('"path":"/calendars/');
  expect(logged).not.toContain(token);
});

test("the calendar counts conflicts, checks a proposed time, and finds free windows", async () => {
  const day = "2034-06-06";
  const about = { ciIds: [server] };
  const first = await createSubmittedChange(requester, {
    ...about,
    ...planned(day, "08:00", "10:00"),
  });
  const second = await createSubmittedChange(requester, {
    ...about,
    ...planned(day, "09:00", "11:00"),
  });
  const other = await createSubmittedChange(requester, {
    ciIds: [printer],
    ...planned(day, "09:00", "10:00"),
  });
  await blackout({ ciIds: [server], start: `${day}T10:30:00Z`, end: `${day}T12:00:00Z` });
  const times = `from=${day}T00:00:00Z&to=${day}T20:00:00Z`;
  const read = async () =>
    (await requester(`GET ${CHANGES}/calendar?${times}`)).body.data.changes.map((one: any) => [
      one.id,
      one.ciIds,
      one.conflicts,
    ]);
  expect(await read()).toEqual([
    [first.id, [server], 1],
    [second.id, [server], 2],
    [other.id, [printer], 0],
  ]);
  const tried = (query: string) => requester(`GET ${CHANGES}/${second.id}/conflicts?${query}`);
  const { body } = await tried(`start=${day}T13:00:00Z&end=${day}T15:00:00Z`);
  expect(body.data).toEqual({ changes: [], blackoutWindows: [] });
  expect(await tried(`start=${day}T13:00:00Z`)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "?end" }] },
  });
  const free = async (query: string) =>
    (await requester(`GET ${CHANGES}/free-windows?${times}&${query}`)).body.data.windows.map(
      ({ start, end }: any) => [start.slice(11, 16), end.slice(11, 16)],
    );
  expect(await free(`ciIds=${server}`)).toEqual([
    ["00:00", "08:00"],
    ["12:00", "20:00"],
  ]);
  expect(await free(`ciIds=${server}&hours=8.5`)).toEqual([]);
  expect(await free(`ciIds=${printer},${server}&hours=8`)).toHaveLength(2);
  expect(await free("hours=20")).toEqual([["00:00", "20:00"]]);
  await performAction(manager, first.id, "reject", { reason: "Not then" });
  expect(await read()).toEqual([
    [second.id, [server], 1],
    [other.id, [printer], 0],
  ]);
});

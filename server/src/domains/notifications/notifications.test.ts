import { describe, expect, test } from "vitest";
import { useWorld, type World } from "#kernel/testing/world.ts";

const INBOX = "/api/v1/notifications";
const PREFERENCES = `${INBOX}/preferences`;
const hidden = { status: 404, body: { code: "not_found" }, events: [] };
type Person = Awaited<ReturnType<World["member"]>>;

const world = await useWorld();
const agent = await world.member(["agent"]);

const tell = (person: Person, title: string, headers: Record<string, string> = {}) =>
  agent(`POST ${INBOX}`, { userIds: [person.userId], title, body: "Text" }, headers);
const inboxOf = async (person: Person, query = "") =>
  (await person(`GET ${INBOX}?limit=200${query}`)).body.data as {
    id: string;
    title: string;
    environment: string;
  }[];
const titles = async (person: Person, query = "") =>
  (await inboxOf(person, query)).map(({ title }) => title);
const unreadOf = async (person: Person) =>
  (await person(`GET ${INBOX}/unread-count`)).body.data.unread as number;

/** A member with one notification, and its id. */
async function told(title = "Something happened") {
  const person = await world.member(["viewer"]);
  await tell(person, title);
  return { person, id: (await inboxOf(person))[0]?.id ?? "" };
}

describe("sending", () => {
  test("notifies each active member once, and returns who was notified", async () => {
    const [ada, bob, gone] = [
      await world.member(["viewer"]),
      await world.member(["member"]),
      await world.member(["member"]),
    ];
    const elsewhere = await world.member(["owner"], await world.workspace("sending-elsewhere"));
    const owner = await world.member(["owner"]);
    await owner(`PATCH /api/v1/settings/users/${gone.userId}`, { status: "deactivated" });
    const userIds = [bob, ada, gone, elsewhere, ada].map(({ userId }) => userId);
    const sent = await agent(`POST ${INBOX}`, { userIds, title: "Lunch", body: "At noon" });
    expect(sent).toMatchObject({
      status: 201,
      events: ["notification.sent", "notification.sent"],
    });
    expect(sent.body.data.userIds.toSorted()).toEqual([ada.userId, bob.userId].toSorted());
    expect(await inboxOf(ada)).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        title: "Lunch",
        body: "At noon",
        environment: "production",
        eventId: null,
        eventType: null,
        resource: null,
        readAt: null,
        revision: 1,
        createdAt: expect.any(String),
      },
    ]);
    expect(await titles(bob)).toEqual(["Lunch"]);
    expect(await titles(elsewhere)).toEqual([]);
  });

  test("rejects recipients who are not members", async () => {
    const elsewhere = await world.member(["owner"], await world.workspace("sending-nowhere"));
    expect(await tell(elsewhere, "Hello")).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: "/userIds" }] },
      events: [],
    });
    expect(await titles(elsewhere)).toEqual([]);
  });

  test("rejects too many recipients", async () => {
    const { userId } = await world.member(["viewer"]);
    const userIds = Array.from({ length: 1_001 }, () => userId);
    const answer = await agent(`POST ${INBOX}`, { userIds, title: "All", body: "" });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  });

  test("sent in staging appears in the common inbox with its environment, there and in the log", async () => {
    const person = await world.member(["viewer"]);
    await tell(person, "Rehearsal", { "x-environment": "staging" });
    await tell(person, "Real");
    const seen = async (headers: Record<string, string>) =>
      ((await person(`GET ${INBOX}`, undefined, headers)).body.data as any[])
        .map(({ title, environment }) => `${title} ${environment}`)
        .toSorted();
    const both = ["Real production", "Rehearsal staging"];
    expect(await seen({})).toEqual(both);
    expect(await seen({ "x-environment": "staging" })).toEqual(both);
    const logged = await world.sql(
      "select environment from events where type = 'notification.sent' and data->>'userId' = $1",
      [person.userId],
    );
    expect(logged.map(({ environment }) => environment).toSorted()).toEqual([
      "production",
      "staging",
    ]);
  });

  test("keeps the text out of the log, which has more readers", async () => {
    const { person, id } = await told("For your eyes only");
    await person(`POST ${INBOX}/${id}/read`);
    await person(`POST ${INBOX}/${id}/unread`);
    await person(`DELETE ${INBOX}/${id}`);
    const logged = await world.sql(
      "select type, actor_id, resource_name, data from events where resource_id = $1 order by epoch, xid, seq",
      [id],
    );
    expect(logged.map(({ type, actor_id }) => [type, actor_id])).toEqual([
      ["notification.sent", agent.userId],
      ["notification.read", person.userId],
      ["notification.unread", person.userId],
      ["notification.deleted", person.userId],
    ]);
    for (const { data, resource_name } of logged) {
      expect(resource_name).toBeNull();
      expect(data).toEqual({
        id,
        userId: person.userId,
        environment: "production",
        eventId: null,
        eventType: null,
        resource: null,
      });
    }
  });
});

describe("the inbox", () => {
  test("lists are newest first, with pages, and a filter on unread notifications", async () => {
    const person = await world.member(["viewer"]);
    for (const title of ["1", "2", "3", "4", "5"]) {
      await tell(person, title);
      world.clock.advance(1_000);
    }
    const [, fourth] = await inboxOf(person);
    await person(`POST ${INBOX}/${fourth?.id}/read`);
    expect(await titles(person)).toEqual(["5", "4", "3", "2", "1"]);
    expect(await titles(person, "&unread=true")).toEqual(["5", "3", "2", "1"]);
    expect(await titles(person, "&unread=false")).toEqual(["4"]);
    const pages: string[][] = [];
    for (let after: string | null = ""; after !== null;) {
      const from: string = after === "" ? "" : `&after=${after}`;
      const { body } = await person(`GET ${INBOX}?unread=true&limit=3${from}`);
      pages.push(body.data.map(({ title }: { title: string }) => title));
      after = body.pagination.nextCursor;
    }
    expect(pages).toEqual([["5", "3", "2"], ["1"]]);
    expect(await person(`GET ${INBOX}?unread=perhaps`)).toMatchObject({ status: 422 });
  });

  test("counts unread notifications and can mark one or all as read", async () => {
    const { person, id } = await told();
    await tell(person, "Second");
    await tell(person, "Third");
    expect(await unreadOf(person)).toBe(3);
    const read = await person(`POST ${INBOX}/${id}/read`);
    expect(read).toMatchObject({ status: 200, events: ["notification.read"] });
    expect(read.body.data.readAt).toEqual(expect.any(String));
    expect(await unreadOf(person)).toBe(2);
    expect(await person(`POST ${INBOX}/read-all`)).toMatchObject({
      status: 200,
      body: { data: { read: 2 } },
      events: ["notification.all_read"],
    });
    expect(await unreadOf(person)).toBe(0);
    const nothingLeft = await person(`POST ${INBOX}/read-all`);
    expect(nothingLeft).toMatchObject({ status: 200, body: { data: { read: 0 } }, events: [] });
    const { body } = await person(`GET ${INBOX}/${id}`);
    expect(body.data).toEqual(read.body.data);
  });

  test("changes from read to unread and back, and a repetition changes nothing", async () => {
    const { person, id } = await told();
    const steps: [string, object | undefined, string[]][] = [
      [`POST ${INBOX}/${id}/unread`, undefined, []],
      [`POST ${INBOX}/${id}/read`, undefined, ["notification.read"]],
      [`POST ${INBOX}/${id}/read`, undefined, []],
      [`PATCH ${INBOX}/${id}`, { read: true }, []],
      [`POST ${INBOX}/${id}/unread`, undefined, ["notification.unread"]],
      [`PATCH ${INBOX}/${id}`, { read: true }, ["notification.read"]],
      [`PATCH ${INBOX}/${id}`, { read: false }, ["notification.unread"]],
    ];
    const etags = [];
    for (const [route, body, events] of steps) {
      const answer = await person(route, body);
      expect([route, answer.status, answer.events]).toEqual([route, 200, events]);
      etags.push(answer.headers["etag"]);
    }
    expect(etags).toEqual(['"1"', '"2"', '"2"', '"2"', '"3"', '"4"', '"5"']);
    const stale = await person(`PATCH ${INBOX}/${id}`, { read: true }, { "if-match": '"4"' });
    expect(stale).toMatchObject({ status: 412, events: [] });
    expect(await unreadOf(person)).toBe(1);
  });

  test("deletes notifications", async () => {
    const { person, id } = await told();
    expect(await person(`DELETE ${INBOX}/${id}`)).toMatchObject({
      status: 204,
      events: ["notification.deleted"],
    });
    expect(await person(`GET ${INBOX}/${id}`)).toMatchObject(hidden);
    expect(await inboxOf(person)).toEqual([]);
  });

  test("is visible only to its recipient, not to the owner", async () => {
    const { person, id } = await told();
    const owner = await world.member(["owner"]);
    for (const route of [
      `GET ${INBOX}/${id}`,
      `DELETE ${INBOX}/${id}`,
      `POST ${INBOX}/${id}/read`,
      `POST ${INBOX}/${id}/unread`,
    ]) {
      expect(await owner(route)).toMatchObject(hidden);
    }
    expect(await owner(`PATCH ${INBOX}/${id}`, { read: true })).toMatchObject(hidden);
    await owner(`POST ${INBOX}/read-all`);
    expect(await inboxOf(owner)).toEqual([]);
    expect(await unreadOf(person)).toBe(1);
  });

  test("allows access only for user tokens with the scope", async () => {
    const { person, id } = await told();
    const withScope = async (scope: string) => {
      const token = { name: scope, expiresIn: null, scopes: [scope] };
      const { body } = await person("POST /api/v1/auth/tokens", token);
      return world.asToken(body.data.token, "default");
    };
    const reading = await withScope("notifications:read");
    expect((await reading(`GET ${INBOX}`)).body.data).toMatchObject([{ id }]);
    const other = await withScope("profile");
    expect(await other(`GET ${INBOX}`)).toMatchObject({ status: 403 });
  });

  test("is deleted when its owner leaves the workspace", async () => {
    const { person } = await told();
    await person(`PUT ${PREFERENCES}`, { email: false });
    const owner = await world.member(["owner"]);
    const left = await owner(`DELETE /api/v1/settings/users/${person.userId}`);
    expect(left).toMatchObject({ events: ["user.deactivated"] });
    const rows = await world.sql(
      `select user_id from notifications where user_id = $1
       union all select user_id from notification_preferences where user_id = $1`,
      [person.userId],
    );
    expect(rows).toEqual([]);
  });
});

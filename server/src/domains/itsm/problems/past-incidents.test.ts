import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const [PROBLEMS, INCIDENTS] = ["/api/v1/itsm/problems", "/api/v1/itsm/incidents"];

const make = async (path: string, title: string): Promise<string> => {
  const { status, body } = await owner(`POST ${path}`, { title });
  expect(status).toBe(201);
  return body.data.id;
};

/** A problem without the fields that its events do not contain. */
const told = ({ updatedAt: _, revision: __, ...problem }: any) => problem;

/** Reads a resource after each action. The clock advances in between, so that each action has its own time. */
async function follow(path: string, acts: readonly (() => Promise<any>)[]) {
  const answers: { readonly at: string; readonly data: any }[] = [];
  for (const act of acts) {
    world.clock.advance(1_000);
    expect((await act()).status).toBeLessThan(300);
    world.clock.advance(1_000);
    const { body } = await owner(`GET ${path}`);
    answers.push({ at: world.clock.now().toISOString(), data: body.data });
  }
  return answers;
}

test("shows a past version of a problem, including past incidents and titles", async () => {
  const before = world.clock.now().toISOString();
  world.clock.advance(1_000);
  const [one, other, third] = [
    await make(INCIDENTS, "No mail"),
    await make(INCIDENTS, "Slow mail"),
    await make(INCIDENTS, "Odd mail"),
  ];
  const id = await make(PROBLEMS, "Disk");
  const path = `${PROBLEMS}/${id}`;
  let removed: any;
  const linkOf = async (incident: string) =>
    (await owner(`GET ${INCIDENTS}/${incident}/links`)).body.data[0].id;
  const answers = await follow(path, [
    () => owner(`POST ${path}/incidents`, { incidentIds: [one, other] }),
    () => owner(`POST ${INCIDENTS}/${third}/links`, { ticketId: id, type: "caused_by" }),
    () => owner(`PATCH ${INCIDENTS}/${one}`, { title: "No mail at all" }),
    async () => (removed = await owner(`DELETE ${path}/incidents/${one}`)),
    () => owner(`PATCH ${path}`, { title: "The disk", workaround: "Wait." }),
    () => owner("POST /api/v1/undo", { correlationId: removed.headers["x-correlation-id"] }),
    async () => owner(`DELETE ${INCIDENTS}/${third}/links/${await linkOf(third)}`),
    async () => owner(`DELETE ${path}/links/${await linkOf(other)}`),
    () => owner(`POST ${INCIDENTS}/${one}/take`),
  ]);
  expect(answers.map(({ data }) => data.incidents.length)).toEqual([2, 3, 3, 2, 2, 3, 2, 1, 1]);
  for (const { at, data } of answers) {
    const then = await owner(`GET ${path}?asOf=${at}`);
    expect([then.status, told(then.body.data)], at).toEqual([200, told(data)]);
    expect(then.headers["etag"]).toBeUndefined();
  }
  expect((await owner(`GET ${path}?asOf=${before}`)).status).toBe(404);
  for (const wrong of ["yesterday", "2999-01-01T00:00:00Z"]) {
    expect((await owner(`GET ${path}?asOf=${wrong}`)).status).toBe(422);
  }
  // If the log no longer contains the creation of a link, the request fails instead of guessing.
  await world.sql("delete from events where type = 'problem.incident_linked'");
  const lost = await owner(`GET ${path}?asOf=${answers[0]?.at}`);
  expect([lost.status, lost.body.code]).toEqual([410, "past_not_kept"]);
});

test("shows past tasks of a change in the past order", async () => {
  const { body } = await owner("POST /api/v1/itsm/changes", { title: "Patch", type: "normal" });
  const path = `/api/v1/itsm/changes/${body.data.id}/tasks`;
  const ids: string[] = [];
  const add =
    (title: string, dependsOn: readonly number[] = []) =>
    async () => {
      const answer = await owner(`POST ${path}`, {
        title,
        dependsOn: dependsOn.map((index) => ids[index]),
      });
      ids.push(answer.body.data.id);
      return answer;
    };
  const answers = await follow(path, [
    add("Drain"),
    add("Restart", [0]),
    add("Check", [0, 1]),
    () => owner(`PATCH ${path}/${ids[1]}`, { title: "Start again" }),
    () => owner(`PUT ${path}/order`, { taskIds: [ids[2], ids[0], ids[1]] }),
    () => owner(`POST ${path}/${ids[0]}/complete`, { notes: "No traffic" }),
    () => owner(`DELETE ${path}/${ids[1]}`),
    () => owner(`POST ${path}/${ids[0]}/reopen`),
  ]);
  expect(answers.map(({ data }) => data.length)).toEqual([1, 2, 3, 3, 3, 3, 2, 2]);
  for (const { at, data } of answers) {
    const then = await owner(`GET ${path}?asOf=${at}`);
    expect([then.status, then.body.data.map(told)], at).toEqual([200, data.map(told)]);
  }
  const viewer = await world.member(["viewer"]);
  expect((await viewer(`GET ${path}?asOf=${answers[2]?.at}`)).body.data).toHaveLength(3);
  await world.sql("delete from events where type = 'change.task_added'");
  const lost = await owner(`GET ${path}?asOf=${answers[1]?.at}`);
  expect([lost.status, lost.body.code]).toEqual([410, "past_not_kept"]);
});
